import { BlockList, isIP, isIPv6 } from 'node:net'
import type { ApiContext } from '../apiEnv.ts'

/** Whether an address belongs to a trusted proxy. */
export type Trusts = (address: string) => boolean

/**
 * Proxies whose `X-Forwarded-For` counts.
 *
 * @param proxies addresses or CIDR ranges, such as `10.0.0.0/8`
 */
export function trustProxies(proxies: readonly string[]): Trusts {
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
 * The address that a client is limited by. From the socket outwards, the first one that isn't a
 * trusted proxy: anything further out was written by strangers.
 *
 * IPv6 clients are one per /64: that is the least a provider hands to one subscriber.
 */
export function clientAddress(
  socketAddress: string | undefined,
  forwardedFor: string | undefined,
  trusts: Trusts,
): string {
  let client = plainAddress(socketAddress ?? '')
  const hops = forwardedFor === undefined ? [] : forwardedFor.split(',')
  while (hops.length > 0 && isIP(client) !== 0 && trusts(client)) {
    const hop = plainAddress(hops.pop()!.trim())
    if (isIP(hop) === 0) break
    client = hop
  }
  return isIPv6(client) ? networkOf(client) : client
}

/** The address that a request's client is limited by. */
export function addressOf(c: ApiContext, trusts: Trusts): string {
  const socket = c.env?.incoming?.socket
  return clientAddress(socket?.remoteAddress, c.req.header('x-forwarded-for'), trusts)
}

/** IPv4 addresses on an IPv6 socket are written `::ffff:10.0.0.1`. */
export function plainAddress(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  return mapped?.[1] ?? address
}

/**
 * What a client's writes are counted under: of an IPv6 client its /48, which is what many providers hand to
 * one subscriber, and holds 65,536 clients.
 *
 * @param client see `clientAddress`
 */
export function writerOf(client: string): string {
  const network = /^((?:[0-9a-f]+:){3})[0-9a-f]+::\/64$/.exec(client)
  return network ? `${network[1]}:/48` : client
}

/** First 64 bits of an IPv6 address, written one way. */
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
