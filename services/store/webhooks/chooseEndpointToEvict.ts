import { isIP } from 'node:net'

/** An active endpoint that a wallet registered. */
export type WalletEndpoint = {
  endpointId: string
  url: string
  /** Whether it ever accepted an event. */
  isProven: boolean
}

/**
 * Chooses the endpoint to evict for a new one when the limit is reached; null: none.
 *
 * If more than half never accepted an event, it is the oldest of those. Otherwise it is the newest proven endpoint of the site
 * with the most proven ones, if that site then still has more than the new endpoint's: wallets and paths are free, sites
 * aren't. Failing that, it is the oldest unproven one.
 *
 * @param active all active endpoints, oldest first
 */
export function chooseEndpointToEvict(
  active: readonly WalletEndpoint[],
  url: string,
): string | null {
  const unproven = active.filter(({ isProven }) => !isProven)
  const oldest = unproven[0]?.endpointId ?? null
  if (unproven.length > active.length / 2) return oldest
  const bySite = Map.groupBy(
    active.filter(({ isProven }) => isProven),
    (endpoint) => siteOf(endpoint.url),
  )
  const own = bySite.get(siteOf(url))?.length ?? 0
  const [first = [], ...others] = bySite.values()
  const largest = others.reduce((most, one) => (one.length > most.length ? one : most), first)
  return largest.length > own + 1 ? (largest.at(-1)?.endpointId ?? null) : oldest
}

/** The last two labels of a URL's host, roughly what is registered and paid for; IP addresses count as one site. */
function siteOf(url: string): string {
  const host = new URL(url).hostname.replace(/^\[|\]$|\.$/g, '')
  return isIP(host) === 0 ? host.split('.').slice(-2).join('.') : ''
}
