import { BlockList, isIP, isIPv6 } from 'node:net'

/** Loopback, link-local and private networks. */
const OWN = new BlockList()
for (const [network, bits] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
] as const) {
  OWN.addSubnet(network, bits, 'ipv4')
}
OWN.addAddress('::1', 'ipv6')
OWN.addSubnet('fc00::', 7, 'ipv6')
OWN.addSubnet('fe80::', 10, 'ipv6')

/**
 * Endpoints on this machine or in a private network, by their address or a name without a dot: their
 * operator could read our questions anyway. A name on the internet counts as somebody else's unless the
 * operator says otherwise.
 */
export function privateEndpoints(rpcUrls: readonly string[]): string[] {
  return rpcUrls.filter((url) => isOwn(new URL(url).hostname.replace(/^\[|\]$/g, '')))
}

function isOwn(host: string): boolean {
  if (isIP(host) !== 0) return OWN.check(host, isIPv6(host) ? 'ipv6' : 'ipv4')
  return !host.includes('.')
}
