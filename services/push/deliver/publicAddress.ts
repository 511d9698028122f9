import { BlockList, isIPv4, isIPv6 } from 'node:net'

/** IPv4 that isn't the public internet (IANA's special-purpose registry), multicast included. */
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

/** Within 2000::/3: documentation, and what carries an IPv4 address or another's inside. */
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
 * Whether an address is on the public internet, not in our or our provider's network. IPv6 that maps IPv4
 * (`::ffff:127.0.0.1`, NAT64) is outside 2000::/3, so it isn't.
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !reserved.check(address, 'ipv4')
  return isIPv6(address) && globalV6.check(address, 'ipv6') && !reserved.check(address, 'ipv6')
}
