import { chainClient } from '../../../chain/chainClient.ts'
import type { ChainConfig } from '../../../config/chains.ts'
import { privateEndpoints } from './privateEndpoints.ts'
import type { DestinationReader } from './screenRecipients.ts'

/**
 * Whose nodes may see an intent's recipients before it has a winner, to check whether the token refuses
 * them: only our own, all that are configured, or none.
 */
export type Screening = 'own' | 'always' | 'never'

/** The node to ask about recipients on a chain; null when none may be asked. */
export type Screeners = (chainId: number) => DestinationReader | null

/** @param timeoutMs milliseconds that a node has to answer */
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
      readers.set(chain.chainId, chainClient({ ...chain, rpcUrls }, { timeoutMs }))
  }
  return (chainId) => readers.get(chainId) ?? null
}
