import { timeOn } from '../../src/intent/clocks.ts'
import { validDeliveryOf } from '../../src/intent/isValidDelivery.ts'
import { refund } from '../../src/intent/refund.ts'
import { retryAfterMs } from './retryAfterMs.ts'
import {
  type Effect,
  type EffectKind,
  type EffectTransaction,
  effectName,
  type Situation,
  transactionName,
} from './situation.ts'

/** Something to do about an intent, and what it still waits for; null: nothing, do it now. */
export type Wanted = { effect: Effect; waitsFor: string | null }

export type ReactionSettings = {
  /** Seconds of the source chain's time for which a refund that is due is left to others. */
  refundAfter: number
  /** Blocks on top of the delivery's block before it is acted on. */
  confirmationsOf: (delivery: { destChainId: number; tokenB: string; amountB: bigint }) => number
  /** Blocks on top of the deposit's block, on the source chain. */
  sourceConfirmations: number
}

/**
 * What ought to happen about an intent and hasn't: a comparison of the facts with what was done.
 * Knows no history of its own, so that whoever loses track (a job table emptied, an index rebuilt)
 * comes to the same answer.
 *
 * @param now unix milliseconds of our own clock, for pauses between attempts alone
 */
export function wanted(situation: Situation, settings: ReactionSettings, now: number): Wanted[] {
  return [
    ...storing(situation),
    ...anchoring(situation),
    ...appending(situation),
    ...settling(situation, settings),
    ...refunding(situation, settings),
  ].map((one) => ({ ...one, waitsFor: one.waitsFor ?? blockOf(situation, one.effect, now) }))
}

function storing({ facts: { source }, creationBlob, hasBundle }: Situation): Wanted[] {
  const isOpen = source.phase === 'open' || source.phase === 'bidding'
  const isWanted = !hasBundle && creationBlob !== '0x' && (isOpen || source.phase === 'deposited')
  return isWanted ? [{ effect: { kind: 'store', blob: creationBlob }, waitsFor: null }] : []
}

function anchoring({ facts: { source }, clocks, hasBundle }: Situation): Wanted[] {
  if (source.phase !== 'open' || source.feeBps !== null || !hasBundle) return []
  if (timeOn(source.sourceChainId, clocks) >= source.endTime) return []
  return [{ effect: { kind: 'anchor', creation: source.createTxHash }, waitsFor: null }]
}

/** In the order in which they were stored: of two replacements the last one counts. */
function appending({ facts: { source }, toAppend }: Situation): Wanted[] {
  const [next] = toAppend
  if (!next || source.feeBps === null) return []
  return [{ effect: { kind: 'append', ...next }, waitsFor: null }]
}

function settling({ facts, clocks }: Situation, settings: ReactionSettings): Wanted[] {
  const { source } = facts
  const delivery = source.phase === 'deposited' ? validDeliveryOf(facts) : null
  if (!delivery) return []
  const depth = (clocks.get(delivery.destChainId)?.blockNumber ?? 0) - delivery.solvedBlock
  const sourceDepth = (clocks.get(source.sourceChainId)?.blockNumber ?? 0) - source.updatedBlock
  const isDeep =
    depth >= settings.confirmationsOf(delivery) && sourceDepth >= settings.sourceConfirmations
  return [{ effect: { kind: 'settle', delivery }, waitsFor: isDeep ? null : 'NOT_CONFIRMED' }]
}

/**
 * A courtesy: anyone can do it. A winner who has delivered and waits to be paid doesn't lose its bond
 * by us, unless what it delivered was refused.
 */
function refunding(situation: Situation, { refundAfter }: ReactionSettings): Wanted[] {
  const { facts, clocks, terms, reactions } = situation
  const { source } = facts
  const owed = refund(facts, clocks, terms)
  if (owed?.status !== 'due' || owed.claimableAt === null) return []
  const isDelivered = source.phase === 'deposited' && validDeliveryOf(facts) !== null
  if (isDelivered && reactions.get('settle')?.state !== 'refused') return []
  const isTheirs = timeOn(source.sourceChainId, clocks) < owed.claimableAt + refundAfter
  if (isTheirs) return [{ effect: { kind: 'refund' }, waitsFor: 'LEFT_TO_OTHERS' }]
  const isBehind = !isDelivered && mayBeDelivered(situation)
  return [{ effect: { kind: 'refund' }, waitsFor: isBehind ? 'INDEX_BEHIND' : null }]
}

/** Whether the destination's index could still come to a delivery that was in time: it isn't past the deadline. */
function mayBeDelivered({ facts, clocks }: Situation): boolean {
  const { phase, destChainId, fillDeadline } = facts.source
  return phase === 'deposited' && timeOn(destChainId, clocks) < (fillDeadline ?? 0)
}

/** What keeps an effect from being tried now; null when nothing does. */
function blockOf(situation: Situation, effect: Effect, now: number): string | null {
  const reaction = situation.reactions.get(effect.kind)
  if (reaction?.state === 'refused' && reaction.subject === subjectOf(effect)) {
    return reaction.reason ?? 'REFUSED'
  }
  const { sourceChainId, intentId } = situation.facts.source
  const name = transactionName(effect.kind, effectName(intentId, effect))
  const transaction = situation.transactions.get(name)
  if (transaction) {
    const head = situation.clocks.get(sourceChainId)?.blockNumber ?? 0
    return transactionBlock(transaction, head, now)
  }
  const isPausing = reaction?.nextTryAt != null && reaction.nextTryAt > now
  return reaction?.state === 'waiting' && isPausing ? (reaction.reason ?? 'PAUSING') : null
}

/**
 * A transaction that is over and whose effect the facts don't show is opened again: it failed and may
 * succeed by now, or a reorg took it back. First the index gets the time to see it.
 */
function transactionBlock(
  { state, problem, blockNumber, changedAt, round }: EffectTransaction,
  head: number,
  now: number,
): string | null {
  const isOver = state === 'confirmed' || state === 'failed' || state === 'superseded'
  if (!isOver) return problem ?? 'TRANSACTION'
  if (state === 'confirmed' && head < (blockNumber ?? 0)) return 'INDEX_BEHIND'
  return now < changedAt + retryAfterMs(round) ? (problem ?? 'INDEX_BEHIND') : null
}

/** What a refusal is about: another delivery, or the same one in another block, is judged anew. */
export function subjectOf(effect: Effect): string {
  switch (effect.kind) {
    case 'store':
      return effect.blob.slice(0, 140)
    case 'anchor':
      return effect.creation
    case 'append':
      return effect.digest
    case 'settle': {
      const { solveTxHash, solvedBlock, solver } = effect.delivery
      return `${solveTxHash} ${solvedBlock} ${solver}`
    }
    default:
      return ''
  }
}

/** Kinds that are wanted. */
export function kindsOf(wants: readonly Wanted[]): Set<EffectKind> {
  return new Set(wants.map(({ effect }) => effect.kind))
}
