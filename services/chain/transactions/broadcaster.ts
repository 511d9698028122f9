import { createPublicClient, type Hex, http } from 'viem'

/**
 * Hands signed bytes to every provider at once: one that drops them, or keeps them to itself, keeps
 * nobody else from seeing them. Rejects with a provider's refusal when none takes them.
 */
export function broadcaster(rpcUrls: readonly string[]): (raw: Hex) => Promise<void> {
  const clients = rpcUrls.map((url) =>
    createPublicClient({ transport: http(url, { timeout: 5_000, retryCount: 0 }) }),
  )
  return async (raw) => {
    const sent = await Promise.allSettled(
      clients.map((client) => client.sendRawTransaction({ serializedTransaction: raw })),
    )
    const refusals = sent.filter((one) => one.status === 'rejected')
    if (refusals.length === sent.length) throw refusals[0]?.reason
  }
}
