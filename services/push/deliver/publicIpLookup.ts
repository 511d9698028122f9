import { promises as dns } from 'node:dns'
import { BlockList, isIP, isIPv4, isIPv6, type LookupFunction } from 'node:net'

/** All addresses of a name. */
export type Resolve = (host: string) => Promise<string[]>

/** A host that webhooks must not reach. */
export class AddressRefusedError extends Error {
  override name = 'AddressRefusedError'
  readonly code = 'ADDRESS_REFUSED'

  constructor() {
    super('the host is not on the public internet')
  }
}

/**
 * Asks the name servers directly rather than on Node's few threads, so that names that never resolve delay no other
 * lookup.
 */
export function createResolve(): Resolve {
  const resolver = new dns.Resolver({ timeout: 2_000, tries: 2 })
  return async (host) => {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    const found = [v4, v6].flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
    if (found.length > 0 || v4.status === 'fulfilled') return found
    throw v4.reason
  }
}

/** Node tries one address after another: with a long list, a delivery would open connections to dozens of strangers. */
const MOST_PER_FAMILY = 2

/**
 * Resolves a name for exactly the connection about to be made, and returns only public addresses. An earlier or later
 * answer of the name server can't change where it connects.
 */
export function checkedLookup(resolve: Resolve, isAllowed = isPublicAddress): LookupFunction {
  return (host, options, callback) => {
    resolve(host).then(
      (found) => {
        // One private address is enough to refuse the name: an honest one has none.
        if (found.length === 0 || !found.every(isAllowed))
          return callback(new AddressRefusedError(), '')
        const addresses = [4, 6].flatMap((family) =>
          found
            .filter((address) => isIP(address) === family)
            .slice(0, MOST_PER_FAMILY)
            .map((address) => ({ address, family })),
        )
        if (options.all) callback(null, addresses)
        else callback(null, addresses[0]!.address, addresses[0]!.family)
      },
      (error) => callback(error, ''),
    )
  }
}

/** IPv4 ranges that aren't public (IANA's special-purpose registry), multicast included. */
const RESERVED_V4: readonly [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

/** Ranges within 2000::/3 that aren't public: documentation, and tunnels that embed another address. */
const RESERVED_V6: readonly [string, number][] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]

const reserved = new BlockList()
for (const [network, bits] of RESERVED_V4) reserved.addSubnet(network, bits, 'ipv4')
for (const [network, bits] of RESERVED_V6) reserved.addSubnet(network, bits, 'ipv6')
const globalV6 = new BlockList()
globalV6.addSubnet('2000::', 3, 'ipv6')

/**
 * Whether an address is on the public internet, not in the operator's or its provider's network. IPv6 that maps IPv4
 * (`::ffff:127.0.0.1`, NAT64) is outside 2000::/3 and counts as private.
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !reserved.check(address, 'ipv4')
  return isIPv6(address) && globalV6.check(address, 'ipv6') && !reserved.check(address, 'ipv6')
}
