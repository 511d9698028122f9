import { confirmationsFor } from '../../../core/settlement/confirmationsFor.ts'
import type { ChainsNow } from '../../store/chains/chainStateCache.ts'
import type { IntentKey } from '../../store/intents/storedIntent.ts'
import {
  type DesiredEffect,
  desiredEffects,
  kindsOf,
  type ReactionSettings,
} from './desiredEffects.ts'
import { EFFECT_KINDS, type EffectKind, type IntentState } from './intentState.ts'
import { loadIntentState } from './loadIntentState.ts'
import { perform } from './perform/performEffect.ts'
import type { Reactor } from './reactor.ts'
import { recordNoLongerDesired, recordOutcome, recordWaiting } from './recordReaction.ts'

/** One effect may allow the next, as storing allows anchoring; more than this is a bug. */
const ROUNDS = 4

/**
 * Causes the effects that an intent's facts require. It does nothing twice, however often and from
 * however many processes it is called: each effect has its own guard.
 */
export async function reconcileIntent(reactor: Reactor, key: IntentKey): Promise<void> {
  for (let round = 1; round <= ROUNDS; round++) {
    const chains = await reactor.chains.current()
    const state = await loadIntentState(reactor.vault.db, chains, key)
    if (!state) return forgetIfGone(reactor, chains, key)
    const wants = desiredEffects(state, settingsFor(reactor, state), Date.now())
    await keepBooks(reactor, state, wants)
    const ready = wants.filter(({ waitsFor }) => waitsFor === null)
    let again = false
    for (const { effect } of ready) {
      const begun = performance.now()
      const outcome = await perform(reactor, state, effect)
      await recordOutcome(reactor.vault.db, key, effect, state.reactions.get(effect.kind), outcome)
      const milliseconds = Math.round(performance.now() - begun)
      reactor.onEvent({ type: 'reacted', kind: effect.kind, ...key, outcome, milliseconds })
      again ||= outcome.is === 'done'
    }
    if (!again) return
  }
}

/** A creation that a reorg removed needs nothing any more. A chain that isn't indexed doesn't count. */
async function forgetIfGone(
  { vault: { db } }: Reactor,
  { heads }: ChainsNow,
  key: IntentKey,
): Promise<void> {
  if (heads.has(key.sourceChainId)) await recordNoLongerDesired(db, key, EFFECT_KINDS)
}

/** The part of the configuration that decides about an intent. */
export function settingsFor(
  { configured, refundAfter }: Pick<Reactor, 'configured' | 'refundAfter'>,
  { facts: { source } }: IntentState,
): ReactionSettings {
  return {
    refundAfter,
    confirmationsOf: ({ destChainId, tokenB, amountB }) => {
      const chain = configured.get(destChainId)
      return chain ? confirmationsFor(chain, tokenB, amountB) : Number.POSITIVE_INFINITY
    },
    sourceConfirmations: confirmationsOn(configured, source),
  }
}

function confirmationsOn(
  configured: Reactor['configured'],
  { sourceChainId, tokenA, amountA }: IntentState['facts']['source'],
): number {
  const chain = configured.get(sourceChainId)
  return chain ? confirmationsFor(chain, tokenA, amountA) : Number.POSITIVE_INFINITY
}

/** What operators see: since when an effect is desired, what it waits for, when it was done. */
async function keepBooks(
  { vault: { db } }: Reactor,
  { facts: { source }, reactions }: IntentState,
  wants: readonly DesiredEffect[],
): Promise<void> {
  const kinds = kindsOf(wants)
  const over: EffectKind[] = []
  for (const { kind, state } of reactions.values()) {
    if (state === 'waiting' && !kinds.has(kind)) over.push(kind)
  }
  await recordNoLongerDesired(db, source, over)
  for (const { effect, waitsFor } of wants) {
    const known = reactions.get(effect.kind)
    const isNews = known?.state !== 'waiting' || known.reason !== waitsFor
    if (waitsFor !== null && known?.state !== 'refused' && isNews) {
      await recordWaiting(db, source, effect, waitsFor)
    }
  }
}
