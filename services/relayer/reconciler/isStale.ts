import type { Transaction } from '../../chain/transactions/transaction.ts'
import { chainsOrNone } from '../../store/chains/chainStateCache.ts'
import { desiredEffects } from './desiredEffects.ts'
import { EFFECT_KINDS, type EffectKind, type IntentState } from './intentState.ts'
import { loadIntentState } from './loadIntentState.ts'
import type { Reactor } from './reactor.ts'
import { settingsFor } from './reconcileIntent.ts'
import { effectName, intentOfEffect } from './subjectOf.ts'

/**
 * Whether a transaction that waits to be sent is stale although the bridge may still accept it: the facts
 * no longer require it, for example after a reorg. It is then cancelled, and requested again if
 * necessary. An index that can't be read, or is resuming after a restart, is not believed.
 */
export async function isStale(
  reactor: Reactor,
  { kind, chainId, effect }: Transaction,
): Promise<boolean> {
  const intentId = intentOfEffect(effect)
  if (intentId === null || !EFFECT_KINDS.includes(kind as EffectKind)) return false
  const chains = await chainsOrNone(reactor.chains)
  if (!chains.heads.has(chainId)) return false
  const key = { sourceChainId: chainId, intentId }
  const state = await loadIntentState(reactor.vault.db, chains, key)
  if (state === null) return true
  if (isShown(kind, state) || !chains.heads.has(state.facts.source.destChainId)) return false
  const wants = desiredEffects(state, settingsFor(reactor, state), Date.now())
  return !wants.some(
    (one) => one.effect.kind === kind && effectName(intentId, one.effect) === effect,
  )
}

/** Whether the facts show its effect, usually by this very transaction. */
function isShown(kind: string, { facts: { source }, isCarried }: IntentState): boolean {
  switch (kind) {
    case 'anchor':
      return source.feeBps !== null
    case 'append':
      return isCarried
    case 'reveal':
      return source.revealedAt !== null
    default:
      return source.settledAt !== null || source.refundedAt !== null
  }
}
