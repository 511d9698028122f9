import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import { createGuessLimiter } from './guessLimiter.ts'
import type { BundleContext } from './recipientBundleStore.ts'

/** @param mode of chains that don't set their own */
export function createBundleContext(
  { db, enclave, safePrice }: Pick<BundleContext, 'db' | 'enclave' | 'safePrice'>,
  chains: readonly ChainConfig[],
  mode: 'strict' | 'compat',
): BundleContext {
  const configured = new Map(chains.map((chain) => [chain.chainId, chain]))
  return {
    db,
    enclave,
    safePrice,
    guesses: createGuessLimiter(),
    modeOn: (chainId) => configured.get(chainId)?.mode ?? mode,
    bridgeOn: (chainId) => (configured.get(chainId)?.bridge.toLowerCase() as Hex) ?? null,
    now: () => Math.floor(Date.now() / 1_000),
  }
}
