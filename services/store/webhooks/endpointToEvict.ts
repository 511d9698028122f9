import { isIP } from 'node:net'

/** An active webhook of a wallet's. */
export type HeldEndpoint = {
  endpointId: string
  url: string
  /** Whether it ever accepted an event. */
  isProven: boolean
}

/**
 * Which webhook has to leave once all places are taken and another wants one; null: none.
 *
 * While those that never accepted anything hold more than half of the places, the oldest of them. Else, of the site
 * with the most proven ones, the newest, if that site has more than the newcomer's would: wallets and paths cost
 * nothing, sites do. Where all sites have as many, again the oldest unproven one.
 *
 * @param held all that are active, the oldest first
 */
export function endpointToEvict(held: readonly HeldEndpoint[], url: string): string | null {
  const unproven = held.filter(({ isProven }) => !isProven)
  const oldest = unproven[0]?.endpointId ?? null
  if (unproven.length > held.length / 2) return oldest
  const bySite = Map.groupBy(
    held.filter(({ isProven }) => isProven),
    (endpoint) => siteOf(endpoint.url),
  )
  const own = bySite.get(siteOf(url))?.length ?? 0
  const [first = [], ...others] = bySite.values()
  const largest = others.reduce((most, one) => (one.length > most.length ? one : most), first)
  return largest.length > own + 1 ? (largest.at(-1)?.endpointId ?? null) : oldest
}

/** The last two labels of a URL's host, about what is registered and paid for; bare addresses are one site. */
function siteOf(url: string): string {
  const host = new URL(url).hostname.replace(/^\[|\]$|\.$/g, '')
  return isIP(host) === 0 ? host.split('.').slice(-2).join('.') : ''
}
