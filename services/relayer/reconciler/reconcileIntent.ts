import {
  findDeliveryConfirmations,
  findDepositConfirmations,
} from '../../../core/settlement/requiredConfirmations.ts'
import type { Transaction } from '../../chain/transactions/transactionRow.ts'
import { chainsOrNone } from '../../store/chains/chainStateCache.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import type { IntentKey } from '../../store/intents/storedIntent.ts'
import { deleteUnpaidEntries } from '../recipients/entries/stealthEntryRows.ts'
import {
  type DesiredEffect,
  findDesiredEffects,
  type ReactionSettings,
} from './findDesiredEffects.ts'
import { loadIntentState } from './loadIntentState.ts'
import { performEffect } from './perform/performEffect.ts'
import type { ReactionContext } from './reactionContext.ts'
import {
  EFFECT_KINDS,
  type EffectKind,
  effectName,
  type IntentState,
  intentOfEffect,
} from './reconcilerEffect.ts'
import { recordNoLongerDesired, recordOutcome, recordWaiting } from './recordReaction.ts'

/** One effect may allow the next, as storing allows anchoring. More rounds than this mean a bug. */
const ROUNDS = 4

/**
 * Causes the effects that an intent's facts require. Each effect has its own guard, so calling this repeatedly or
 * from several processes does nothing twice.
 */
export async function reconcileIntent(reactor: ReactionContext, key: IntentKey): Promise<void> {
  const { db } = reactor.bundles
  for (let round = 1; round <= ROUNDS; round++) {
    const chains = await reactor.chains.current()
    const state = await loadIntentState(db, chains, key)
    if (!state) {
      // A creation that a reorg removed needs nothing more. A chain that isn't indexed proves no removal.
      if (chains.heads.has(key.sourceChainId)) await recordNoLongerDesired(db, key, EFFECT_KINDS)
      return
    }
    const wants = findDesiredEffects(state, settingsFor(reactor, state), state.now)
    await keepBooks(db, state, wants)
    if (isOverWithoutWinner(state)) await deleteUnpaidEntries(db, state.facts.source)
    const ready = wants.filter(({ waitsFor }) => waitsFor === null)
    let again = false
    for (const { effect } of ready) {
      const begun = performance.now()
      const outcome = await performEffect(reactor, state, effect)
      await recordOutcome(db, key, effect, state.reactions.get(effect.kind), outcome)
      const milliseconds = Math.round(performance.now() - begun)
      reactor.onEvent({ type: 'reacted', kind: effect.kind, ...key, outcome, milliseconds })
      again ||= outcome.is === 'done'
    }
    if (!again) return
  }
}

/** Whether the intent ended before any winner was told its recipients. */
function isOverWithoutWinner({ facts: { source }, depositBlock }: IntentState): boolean {
  return depositBlock === null && (source.phase === 'cancelled' || source.phase === 'expired')
}

/** The configuration that applies to an intent. */
function settingsFor(
  { configured, refundAfter }: Pick<ReactionContext, 'configured' | 'refundAfter'>,
  { facts: { source } }: IntentState,
): ReactionSettings {
  const there = configured.get(source.destChainId)
  const here = configured.get(source.sourceChainId)
  const never = Number.POSITIVE_INFINITY
  return {
    refundAfter,
    deliveryConfirmations: there ? findDeliveryConfirmations(there, source) : never,
    depositConfirmations: here ? findDepositConfirmations(here, source) : never,
  }
}

/** Records for operators since when an effect is needed, what it waits for, and when it was done. */
async function keepBooks(
  db: Db,
  { facts: { source }, reactions }: IntentState,
  wants: readonly DesiredEffect[],
): Promise<void> {
  const kinds = new Set(wants.map(({ effect }) => effect.kind))
  const waiting = [...reactions.values()].filter(({ state }) => state === 'waiting')
  const over = waiting.map(({ kind }) => kind).filter((kind) => !kinds.has(kind))
  await recordNoLongerDesired(db, source, over)
  for (const { effect, waitsFor } of wants) {
    const known = reactions.get(effect.kind)
    const isNews = known?.state !== 'waiting' || known.reason !== waitsFor
    if (waitsFor !== null && known?.state !== 'refused' && isNews) {
      await recordWaiting(db, source, effect, waitsFor)
    }
  }
}

/**
 * Whether a transaction that waits to be sent is stale although the bridge may still accept it, because the facts no
 * longer require it, for example after a reorg. It is then cancelled, and requested again if necessary. An index that
 * can't be read, or is resuming after a restart, makes nothing stale.
 */
export async function isStale(
  reactor: ReactionContext,
  { kind, chainId, effect }: Transaction,
): Promise<boolean> {
  const intentId = intentOfEffect(effect)
  if (intentId === null || !EFFECT_KINDS.includes(kind as EffectKind)) return false
  const chains = await chainsOrNone(reactor.chains)
  if (!chains.heads.has(chainId)) return false
  const key = { sourceChainId: chainId, intentId }
  const state = await loadIntentState(reactor.bundles.db, chains, key)
  if (state === null) return true
  if (isShown(kind, state) || !chains.heads.has(state.facts.source.destChainId)) return false
  const wants = findDesiredEffects(state, settingsFor(reactor, state), state.now)
  return !wants.some(
    (one) => one.effect.kind === kind && effectName(intentId, one.effect) === effect,
  )
}

/** Whether the facts show the effect, usually caused by this very transaction. */
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
