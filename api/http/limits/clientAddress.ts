import { BlockList, isIP, isIPv6 } from 'node:net'
import type { ApiContext } from '../honoEnvironment.ts'

export type IsTrustedProxy = (address: string) => boolean

/**
 * Recognizes the proxies whose `X-Forwarded-For` is believed.
 *
 * @param proxies addresses or CIDR ranges, such as `10.0.0.0/8`
 */
export function trustProxies(proxies: readonly string[]): IsTrustedProxy {
  const list = new BlockList()
  for (const proxy of proxies) {
    const [address = '', bits] = proxy.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return (address) => proxies.length > 0 && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

/**
 * The address by which a client is rate-limited: starting at the socket, the first hop that isn't a trusted
 * proxy. Hops beyond it could be forged. An IPv6 /64, the smallest network that providers assign to a
 * subscriber, counts as one client.
 */
export function findClientAddress(
  socketAddress: string | undefined,
  forwardedFor: string | undefined,
  isTrustedProxy: IsTrustedProxy,
): string {
  let client = plainAddress(socketAddress ?? '')
  const hops = forwardedFor === undefined ? [] : forwardedFor.split(',')
  while (hops.length > 0 && isIP(client) !== 0 && isTrustedProxy(client)) {
    const hop = plainAddress(withoutPort(hops.pop()!.trim()))
    if (isIP(hop) === 0) break
    client = hop
  }
  return isIPv6(client) ? networkOf(client) : client
}

/** The address by which a request's client is rate-limited. */
export function addressOf(c: ApiContext, isTrustedProxy: IsTrustedProxy): string {
  const socket = c.env?.incoming?.socket
  return findClientAddress(socket?.remoteAddress, c.req.header('x-forwarded-for'), isTrustedProxy)
}

/** Unwraps an IPv4 address on an IPv6 socket, `::ffff:10.0.0.1`. */
export function plainAddress(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  return mapped?.[1] ?? address
}

/** Some proxies add the port: `203.0.113.7:51234`, `[2001:db8::1]:443`. Without this, all of their clients would count as one. */
function withoutPort(hop: string): string {
  const [, v6, v4] = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?$/.exec(hop) ?? []
  return v6 ?? v4 ?? hop
}

/**
 * The address by which a client's writes are limited: for IPv6 its /48. Many providers assign one to each
 * subscriber, who could pose as 65,536 clients with it.
 *
 * @param client see `findClientAddress`
 */
export function writerOf(client: string): string {
  const network = /^((?:[0-9a-f]+:){3})[0-9a-f]+::\/64$/.exec(client)
  return network ? `${network[1]}:/48` : client
}

/** An IPv6 address's /64, normalized. */
function networkOf(address: string): string {
  const [head = '', tail] = address.replace(/%.*$/, '').toLowerCase().split('::')
  const front = head === '' ? [] : head.split(':')
  const back = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : 8 - front.length - back.length
  const groups = [...front, ...new Array<string>(Math.max(0, zeros)).fill('0'), ...back]
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`
}
