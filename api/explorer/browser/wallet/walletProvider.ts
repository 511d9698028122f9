import { createPublicClient, custom, type Hex, numberToHex, type PublicClient } from 'viem'

/** A wallet in the reader's browser, which reads chains through its own nodes (EIP-1193). */
export type WalletProvider = {
  request(call: { method: string; params?: unknown }): Promise<unknown>
}

/** Milliseconds between polls for a receipt. */
const POLL_EVERY = 1_000

/**
 * Reads a chain through the wallet's node, because the page may only connect to its own server. Throws while the
 * wallet is on another chain, whose answers would be mistaken for this chain's.
 */
export function chainReader(provider: WalletProvider, chainId: number): PublicClient {
  const request = async (call: { method: string; params?: unknown }) => {
    await requireChain(provider, chainId)
    return provider.request(call)
  }
  const transport = custom({ request }, { retryCount: 0 })
  return createPublicClient({ transport, pollingInterval: POLL_EVERY })
}

/** Switches the wallet to a chain; its owner may decline. */
export async function switchWalletTo(provider: WalletProvider, chainId: number): Promise<void> {
  if ((await chainOf(provider)) === chainId) return
  const params = [{ chainId: numberToHex(chainId) }]
  await provider.request({ method: 'wallet_switchEthereumChain', params })
}

/**
 * Sends a call by the wallet's own transaction. Its owner may have chosen another chain since `switchWalletTo`, on which the same
 * address may be anything: so this checks once more, and names the chain, for the wallet to refuse the call on another.
 */
export async function sendFromWallet(
  provider: WalletProvider,
  chainId: number,
  { from, to, data }: { from: Hex; to: Hex; data: Hex },
): Promise<Hex> {
  await requireChain(provider, chainId)
  const params = [{ from, to, data, chainId: numberToHex(chainId) }]
  return (await provider.request({ method: 'eth_sendTransaction', params })) as Hex
}

async function requireChain(provider: WalletProvider, chainId: number): Promise<void> {
  const current = await chainOf(provider)
  if (current !== chainId)
    throw new Error(`your wallet is on chain ${current}: switch it to ${chainId}`)
}

async function chainOf(provider: WalletProvider): Promise<number> {
  return Number(await provider.request({ method: 'eth_chainId' }))
}
