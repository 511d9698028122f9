import { chainClient } from '../../../chain/chainClient.ts'
import type { ChainConfig } from '../../../config/chains.ts'
import { privateEndpoints } from './privateEndpoints.ts'
import type { DestinationReader } from './screenRecipients.ts'

/**
 * Whose nodes are told an intent's recipients before anybody has won it, to ask whether the token would
 * refuse them: our own alone, all that are configured, or none.
 */
export type Screening = 'own' | 'always' | 'never'

/** Who may be asked about recipients on a chain; null when nobody may. */
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
