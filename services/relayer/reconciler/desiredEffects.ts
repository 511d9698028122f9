import { type Clocks, timeOn } from '../../../core/intent/clocks.ts'
import { isValidDelivery } from '../../../core/intent/isValidDelivery.ts'
import { refund } from '../../../core/intent/refund.ts'
import type { Delivery, SourceFacts } from '../../../src/intent/facts.ts'
import {
  type Effect,
  type EffectKind,
  type EffectTransaction,
  type IntentState,
  transactionName,
} from './intentState.ts'
import { retryAfterMs } from './retryAfterMs.ts'
import { effectName, subjectOf } from './subjectOf.ts'

/** Something to do about an intent, and what it still waits for; null: nothing, do it now. */
export type DesiredEffect = { effect: Effect; waitsFor: string | null }

export type ReactionSettings = {
  /** Seconds of the source chain's time for which a refund that is due is left to others. */
  refundAfter: number
  /** Blocks on top of the delivery's block before it is acted on. */
  confirmationsOf: (delivery: { destChainId: number; tokenB: string; amountB: bigint }) => number
  /** Blocks on top of the deposit's block, on the source chain. */
  sourceConfirmations: number
}

/** Seconds at most that recipients which nobody has signed for wait, in case others come. */
const UNSIGNED_WAIT = 20

/**
 * What ought to happen about an intent and hasn't: a comparison of the facts with what was done.
 * Knows no history of its own, so that whoever loses track (a job table emptied, an index rebuilt, a
 * reorg) comes to the same answer: it is also what decides whether a transaction has had its day.
 *
 * @param now unix milliseconds of our own clock, for pauses between attempts alone
 */
export function desiredEffects(
  situation: IntentState,
  settings: ReactionSettings,
  now: number,
): DesiredEffect[] {
  return [
    ...anchoring(situation),
    ...appending(situation),
    ...revealing(situation, settings),
    ...settling(situation, settings),
    ...attestingAbsence(situation, settings),
    ...refunding(situation, settings),
  ]
    .filter(({ effect }) => !isFoundDone(situation, effect))
    .map((one) => ({ ...one, waitsFor: one.waitsFor ?? blockOf(situation, one.effect, now) }))
}

function anchoring({ facts: { source }, clocks, proposal }: IntentState): DesiredEffect[] {
  const { phase, feeBps, paramsHash, blobsHash, blobCount, firmAt } = source
  if (phase !== 'open' || feeBps !== null || (proposal === null && blobCount === 0)) return []
  const time = timeOn(source.sourceChainId, clocks)
  if (time >= firmAt) return []
  const isUnsigned = proposal !== null && !proposal.isSigned && blobCount === 0
  const isEarly = isUnsigned && time < unsignedFrom(source)
  const effect = { kind: 'anchor', paramsHash, blobsHash, proposal } as const
  return [{ effect, waitsFor: isEarly ? 'TOO_EARLY' : null }]
}

/** From when on recipients that nobody has signed for are anchored, in unix seconds. */
export function unsignedFrom({
  createdAt,
  endTime,
}: Pick<SourceFacts, 'createdAt' | 'endTime'>): number {
  return createdAt + Math.min(Math.ceil((endTime - createdAt) / 3), UNSIGNED_WAIT)
}

function appending({ facts: { source }, clocks, ...more }: IntentState): DesiredEffect[] {
  const { phase, feeBps, paramsHash, blobsHash, firmAt } = source
  const isOpen = phase === 'open' || phase === 'bidding'
  if (!isOpen || feeBps === null || timeOn(source.sourceChainId, clocks) >= firmAt) return []
  const proposal = more.isCarried ? null : more.proposal
  if (proposal === null && !more.isNamed) return []
  return [{ effect: { kind: 'append', paramsHash, blobsHash, proposal }, waitsFor: null }]
}

function revealing(situation: IntentState, settings: ReactionSettings): DesiredEffect[] {
  const { facts, clocks, terms, depositBlock } = situation
  const { phase, askedAt, revealedAt, paramsHash, solver, fillDeadline } = facts.source
  if (phase !== 'deposited' || askedAt === null || revealedAt !== null) return []
  if (depositBlock === null || solver === null || fillDeadline === null) return []
  const last = fillDeadline - Math.ceil(terms.executionWindow / 4)
  if (timeOn(facts.source.sourceChainId, clocks) >= last) return []
  const effect = { kind: 'reveal', paramsHash, solver, depositBlock } as const
  return [{ effect, waitsFor: isDepositDeep(situation, settings) ? null : 'NOT_CONFIRMED' }]
}

function settling(situation: IntentState, settings: ReactionSettings): DesiredEffect[] {
  const { facts, clocks, depositBlock } = situation
  const deliveries = validDeliveries(situation)
  const last = deliveries.at(-1)
  if (!last || depositBlock === null) return []
  const depth = blockOn(last.destChainId, clocks) - last.solvedBlock
  const isDeep = depth >= settings.confirmationsOf(last) && isDepositDeep(situation, settings)
  const { paramsHash } = facts.source
  const effect = { kind: 'settle', paramsHash, depositBlock, deliveries } as const
  return [{ effect, waitsFor: isDeep ? null : 'NOT_CONFIRMED' }]
}

/** By the winner, in the order of their blocks: which of them paid whom, only the chain's storage tells. */
function validDeliveries({ facts: { source, deliveries } }: IntentState): Delivery[] {
  if (source.phase !== 'deposited') return []
  return deliveries
    .filter((delivery) => isValidDelivery(source, delivery))
    .toSorted((one, other) => one.solvedBlock - other.solvedBlock)
}

/** What the winner delivered to others than its recipients is no delivery. */
function attestingAbsence(situation: IntentState, settings: ReactionSettings): DesiredEffect[] {
  const { facts, clocks, depositBlock } = situation
  const { phase, sourceChainId, destChainId, fillDeadline, paramsHash } = facts.source
  if (phase !== 'deposited' || depositBlock === null || fillDeadline === null) return []
  if (isOwed(situation)) return []
  const isOver =
    timeOn(destChainId, clocks) >= fillDeadline && timeOn(sourceChainId, clocks) >= fillDeadline
  if (!isOver) return []
  const effect = { kind: 'undelivered', paramsHash, depositBlock } as const
  return [{ effect, waitsFor: isDepositDeep(situation, settings) ? null : 'NOT_CONFIRMED' }]
}

/**
 * A courtesy: anyone can do it. A winner who has delivered and waits to be paid doesn't lose its bond
 * by us, unless what it delivered was refused.
 */
function refunding(situation: IntentState, { refundAfter }: ReactionSettings): DesiredEffect[] {
  const { facts, clocks, terms } = situation
  const { source } = facts
  const { paramsHash } = source
  const owed = refund(facts, clocks, terms)
  if (owed?.status !== 'due' || owed.claimableAt === null || isOwed(situation)) return []
  const isTheirs = timeOn(source.sourceChainId, clocks) < owed.claimableAt + refundAfter
  if (isTheirs) return [{ effect: { kind: 'refund', paramsHash }, waitsFor: 'LEFT_TO_OTHERS' }]
  const isBehind = mayBeDelivered(situation)
  const waitsFor = isBehind ? 'INDEX_BEHIND' : null
  return [{ effect: { kind: 'refund', paramsHash }, waitsFor }]
}

/** Whether the winner has delivered, and nobody has said that it was to others. */
function isOwed(situation: IntentState): boolean {
  const [wants] = settlingSubject(situation)
  if (wants === undefined) return false
  const settle = situation.reactions.get('settle')
  return settle?.state !== 'refused' || settle.subject !== wants
}

function settlingSubject(situation: IntentState): string[] {
  const deliveries = validDeliveries(situation)
  const { depositBlock, facts } = situation
  if (deliveries.length === 0 || depositBlock === null) return []
  const { paramsHash } = facts.source
  return [subjectOf({ kind: 'settle', paramsHash, depositBlock, deliveries })]
}

/** Whether the destination's index could still come to a delivery that was in time: it isn't past the deadline. */
function mayBeDelivered({ facts, clocks }: IntentState): boolean {
  const { phase, destChainId, fillDeadline } = facts.source
  return phase === 'deposited' && timeOn(destChainId, clocks) < (fillDeadline ?? 0)
}

function isDepositDeep(
  { facts: { source }, clocks, depositBlock }: IntentState,
  { sourceConfirmations }: ReactionSettings,
): boolean {
  return blockOn(source.sourceChainId, clocks) - (depositBlock ?? 0) >= sourceConfirmations
}

function blockOn(chainId: number, clocks: Clocks): number {
  return clocks.get(chainId)?.blockNumber ?? 0
}

/** Whether an enclave has said that nothing is left to be done about exactly this. */
function isFoundDone({ reactions }: IntentState, effect: Effect): boolean {
  const reaction = reactions.get(effect.kind)
  return reaction?.state === 'done' && reaction.subject === subjectOf(effect)
}

/** What keeps an effect from being tried now; null when nothing does. */
function blockOf(situation: IntentState, effect: Effect, now: number): string | null {
  const reaction = situation.reactions.get(effect.kind)
  if (reaction?.state === 'refused' && reaction.subject === subjectOf(effect)) {
    return reaction.reason ?? 'REFUSED'
  }
  const { sourceChainId, intentId } = situation.facts.source
  const name = transactionName(effect.kind, effectName(intentId, effect))
  const transaction = situation.transactions.get(name)
  if (transaction) {
    return transactionBlock(transaction, blockOn(sourceChainId, situation.clocks), now)
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

/** Kinds that are wanted. */
export function kindsOf(wants: readonly DesiredEffect[]): Set<EffectKind> {
  return new Set(wants.map(({ effect }) => effect.kind))
}
