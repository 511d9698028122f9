import { BlockList, isIP, isIPv6 } from 'node:net'
import { encodeFunctionData, erc20Abi, type Hex, multicall3Abi } from 'viem'
import { createChainClient, MULTICALL3 } from '../../chain/chainClient.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import { BundleError } from '../terms/bundleError.ts'

type DestinationReader = Pick<ReturnType<typeof createChainClient>, 'readContract'>

/**
 * Refuses recipients that the token refuses, which a winner couldn't pay. Asks the token itself, by simulated transfers
 * of zero. If the token refuses these for everyone, or the chain doesn't answer, all recipients pass: a sender must not
 * depend on it. A token may blacklist an account later; no check now can prevent that.
 *
 * @throws BundleError `RECIPIENT_INVALID`
 */
export async function refuseUnpayableRecipients(
  client: DestinationReader,
  token: Hex,
  recipients: readonly Hex[],
): Promise<void> {
  const calls = [MULTICALL3 as Hex, ...recipients].map((to) => ({
    target: token,
    allowFailure: true,
    callData: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, 0n] }),
  }))
  const results = await client
    .readContract({
      address: MULTICALL3,
      abi: multicall3Abi,
      functionName: 'aggregate3',
      args: [calls],
    })
    .catch(() => null)
  const [control, ...answers] = results ?? []
  if (!control?.success) return
  const refused = answers.findIndex(({ success, returnData }) => !success || saysFalse(returnData))
  if (refused === -1) return
  const place = `recipients.${refused}`
  throw new BundleError('RECIPIENT_INVALID', 'the token refuses this recipient', place)
}

function saysFalse(returnData: Hex): boolean {
  return returnData.length === 66 && BigInt(returnData) === 0n
}

/**
 * Whose nodes may see an intent's recipients before it has a winner, to check whether the token refuses them: only our
 * own, all configured ones, or none.
 */
export type Screening = 'own' | 'always' | 'never'

/** The node to ask about recipients on a chain; null when none may be asked. */
export type Screeners = (chainId: number) => DestinationReader | null

/** @param timeoutMs milliseconds for a node's answer */
export function createScreeners(
  chains: readonly ChainConfig[],
  screening: Screening,
  timeoutMs: number,
): Screeners {
  const readers = new Map<number, DestinationReader>()
  for (const chain of chains) {
    const rpcUrls = { own: privateEndpoints(chain.rpcUrls), always: chain.rpcUrls, never: [] }[
      screening
    ]
    if (rpcUrls.length > 0)
      readers.set(chain.chainId, createChainClient({ ...chain, rpcUrls }, { timeoutMs }))
  }
  return (chainId) => readers.get(chainId) ?? null
}

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
 * Endpoints on this machine or in a private network, by address or by a name without a dot: their operator could read
 * our requests anyway. A name on the internet counts as someone else's unless configured otherwise.
 */
export function privateEndpoints(rpcUrls: readonly string[]): string[] {
  return rpcUrls.filter((url) => isOwn(new URL(url).hostname.replace(/^\[|\]$/g, '')))
}

function isOwn(host: string): boolean {
  if (isIP(host) !== 0) return OWN.check(host, isIPv6(host) ? 'ipv6' : 'ipv4')
  return !host.includes('.')
}
