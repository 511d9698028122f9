import { createPublicClient, custom, numberToHex, type PublicClient } from 'viem'

/** A wallet in the reader's browser (EIP-1193). */
export type Provider = { request(call: { method: string; params?: unknown }): Promise<unknown> }

/** Milliseconds between two looks for a receipt. */
const POLL_EVERY = 1_000

/**
 * Reads a chain through the wallet's own node: the page connects to nobody itself. Refuses while the wallet is
 * on another chain, whose answers would be taken for this one's.
 */
export function chainReader(provider: Provider, chainId: number): PublicClient {
  const request = async (call: { method: string; params?: unknown }) => {
    const current = await chainOf(provider)
    if (current !== chainId) throw new Error(`the wallet is on chain ${current}, not ${chainId}`)
    return provider.request(call)
  }
  const transport = custom({ request }, { retryCount: 0 })
  return createPublicClient({ transport, pollingInterval: POLL_EVERY })
}

/** Has the wallet change to a chain, which its owner may refuse. */
export async function switchTo(provider: Provider, chainId: number): Promise<void> {
  if ((await chainOf(provider)) === chainId) return
  const params = [{ chainId: numberToHex(chainId) }]
  await provider.request({ method: 'wallet_switchEthereumChain', params })
}

async function chainOf(provider: Provider): Promise<number> {
  return Number(await provider.request({ method: 'eth_chainId' }))
}
