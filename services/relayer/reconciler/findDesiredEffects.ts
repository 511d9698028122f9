import { type Clocks, readTime } from '../../../core/intent/chainClocks.ts'
import { isValidDelivery } from '../../../core/intent/findWinnersDelivery.ts'
import { deriveRefund } from '../../../core/intent/refundStatus.ts'
import { findUnsignedAnchorTime } from '../../../core/recipientBundle/decide/bundleDecisionState.ts'
import {
  type Effect,
  type EffectOf,
  type EffectTransaction,
  effectName,
  type IntentState,
  subjectOf,
  transactionName,
} from './reconcilerEffect.ts'

/** An effect that an intent needs. `waitsFor`: why it can't be attempted yet; null: attempt it now. */
export type DesiredEffect = { effect: Effect; waitsFor: string | null }

export type ReactionSettings = {
  /** Seconds, by the source chain's clock, that a due refund is left to others. */
  refundAfter: number
  /** Confirmations that a delivery needs before the relayer acts on it. */
  deliveryConfirmations: number
  /** Confirmations that the deposit needs on the source chain. */
  depositConfirmations: number
}

/**
 * Compares an intent's facts with what was done, and returns the effects that are missing. It depends on no history,
 * so a lost job table, a rebuilt index and a reorg all lead to the same answer. It also decides whether a transaction
 * is stale.
 *
 * @param now unix milliseconds by the database's clock, only for pauses between attempts
 */
export function findDesiredEffects(
  state: IntentState,
  settings: ReactionSettings,
  now: number,
): DesiredEffect[] {
  return [
    ...anchoring(state),
    ...appending(state),
    ...revealing(state, settings),
    ...settling(state, settings),
    ...attestingAbsence(state, settings),
    ...refunding(state, settings),
  ]
    .filter(({ effect }) => !isFoundDone(state, effect, now))
    .map((one) => ({ ...one, waitsFor: one.waitsFor ?? blockOf(state, one.effect, now) }))
}

function anchoring({ facts: { source }, clocks, proposal }: IntentState): DesiredEffect[] {
  const { phase, feeBps, paramsHash, blobsHash, blobCount, createdAt, endTime, firmAt } = source
  if (phase !== 'open' || feeBps !== null || (proposal === null && blobCount === 0)) return []
  const time = readTime(source.sourceChainId, clocks)
  if (time >= firmAt) return []
  const isUnsigned = proposal !== null && !proposal.isSigned && blobCount === 0
  const auctionDuration = endTime - createdAt
  const isEarly = isUnsigned && time < findUnsignedAnchorTime({ createdAt, auctionDuration })
  const effect = { kind: 'anchor', paramsHash, blobsHash, proposal } as const
  return [{ effect, waitsFor: isEarly ? 'TOO_EARLY' : null }]
}

function appending({ facts: { source }, clocks, ...more }: IntentState): DesiredEffect[] {
  const { phase, feeBps, paramsHash, blobsHash, firmAt } = source
  const isOpen = phase === 'open' || phase === 'bidding'
  if (!isOpen || feeBps === null || readTime(source.sourceChainId, clocks) >= firmAt) return []
  const proposal = more.isCarried ? null : more.proposal
  if (proposal === null && !more.isNamed) return []
  return [{ effect: { kind: 'append', paramsHash, blobsHash, proposal }, waitsFor: null }]
}

/**
 * A winner that learns the recipients with less than a quarter of its window left may be unable to deliver, and can no longer
 * keep its bond for lack of an answer. The bridge refuses such reveals by the source's clock alone, while the delivery
 * counts by the destination's.
 */
function revealing(state: IntentState, settings: ReactionSettings): DesiredEffect[] {
  const { facts, clocks, terms, depositBlock } = state
  const { phase, askedAt, revealedAt, paramsHash, solver, fillDeadline } = facts.source
  if (phase !== 'deposited' || askedAt === null || revealedAt !== null) return []
  if (depositBlock === null || solver === null || fillDeadline === null) return []
  const last = fillDeadline - Math.ceil(terms.executionWindow / 4)
  const { sourceChainId, destChainId } = facts.source
  if (readTime(sourceChainId, clocks) >= last || readTime(destChainId, clocks) >= last) return []
  const effect = { kind: 'reveal', paramsHash, solver, depositBlock } as const
  return [{ effect, waitsFor: isDepositDeep(state, settings) ? null : 'NOT_CONFIRMED' }]
}

function settling(state: IntentState, settings: ReactionSettings): DesiredEffect[] {
  const effect = settlementOf(state)
  const last = effect?.deliveries.at(-1)
  if (!effect || !last) return []
  const depth = blockOn(last.destChainId, state.clocks) - last.solvedBlock
  const isDeep = depth >= settings.deliveryConfirmations && isDepositDeep(state, settings)
  return [{ effect, waitsFor: isDeep ? null : 'NOT_CONFIRMED' }]
}

/**
 * A settlement lists all of the winner's valid deliveries in block order, because only contract storage shows whom
 * each one paid.
 */
function settlementOf({ facts, depositBlock }: IntentState): EffectOf<'settle'> | null {
  const { source, deliveries: all } = facts
  if (source.phase !== 'deposited' || depositBlock === null) return null
  const deliveries = all
    .filter((delivery) => isValidDelivery(source, delivery))
    .toSorted((one, other) => one.solvedBlock - other.solvedBlock)
  if (deliveries.length === 0) return null
  return { kind: 'settle', paramsHash: source.paramsHash, depositBlock, deliveries }
}

/** Needed when the deadline has passed without a delivery. Paying anyone but the recipients is not a delivery. */
function attestingAbsence(state: IntentState, settings: ReactionSettings): DesiredEffect[] {
  const { facts, clocks, depositBlock } = state
  const { phase, sourceChainId, destChainId, fillDeadline, paramsHash } = facts.source
  if (phase !== 'deposited' || depositBlock === null || fillDeadline === null) return []
  if (isOwed(state)) return []
  const isOver =
    readTime(destChainId, clocks) >= fillDeadline && readTime(sourceChainId, clocks) >= fillDeadline
  if (!isOver) return []
  const effect = { kind: 'undelivered', paramsHash, depositBlock } as const
  return [{ effect, waitsFor: isDepositDeep(state, settings) ? null : 'NOT_CONFIRMED' }]
}

/**
 * Refunds are a courtesy, since anyone can send them. The relayer sends none while a winner waits to be paid for a
 * delivery, because the refund would cost it its bond; a refused delivery doesn't count.
 */
function refunding(state: IntentState, { refundAfter }: ReactionSettings): DesiredEffect[] {
  const { facts, clocks, terms } = state
  const { source } = facts
  const { paramsHash } = source
  const owed = deriveRefund(facts, clocks, terms)
  if (owed?.status !== 'due' || owed.claimableAt === null || isOwed(state)) return []
  const isTheirs = readTime(source.sourceChainId, clocks) < owed.claimableAt + refundAfter
  if (isTheirs) return [{ effect: { kind: 'refund', paramsHash }, waitsFor: 'LEFT_TO_OTHERS' }]
  const isBehind = mayBeDelivered(state)
  const waitsFor = isBehind ? 'INDEX_BEHIND' : null
  return [{ effect: { kind: 'refund', paramsHash }, waitsFor }]
}

/** Whether the winner has delivered, and no enclave has rejected the delivery for paying others. */
function isOwed(state: IntentState): boolean {
  const effect = settlementOf(state)
  if (effect === null) return false
  const settle = state.reactions.get('settle')
  return settle?.state !== 'refused' || settle.subject !== subjectOf(effect)
}

/** Whether the destination's index may still show a delivery in time, because it hasn't passed the deadline. */
function mayBeDelivered({ facts, clocks }: IntentState): boolean {
  const { phase, destChainId, fillDeadline } = facts.source
  return phase === 'deposited' && readTime(destChainId, clocks) < (fillDeadline ?? 0)
}

function isDepositDeep(
  { facts: { source }, clocks, depositBlock }: IntentState,
  { depositConfirmations }: ReactionSettings,
): boolean {
  return blockOn(source.sourceChainId, clocks) - (depositBlock ?? 0) >= depositConfirmations
}

/** The chain's indexed head; 0 if it isn't indexed. */
export function blockOn(chainId: number, clocks: Clocks): number {
  return clocks.get(chainId)?.blockNumber ?? 0
}

/** Whether an enclave has answered that this exact effect needs nothing more. */
function isFoundDone(state: IntentState, effect: Effect, now: number): boolean {
  const reaction = state.reactions.get(effect.kind)
  const isDone = reaction?.state === 'done' && reaction.subject === subjectOf(effect)
  return isDone && !isOverdue(state, effect, now)
}

/** Milliseconds for which rows may keep a winner from being paid. */
export const ROWS_COUNT_MS = 3_600_000
/** Allowed clock skew in milliseconds. */
const SKEW_MS = 60_000

/** Whether a timestamp is in the future: the clock was set back, or the row isn't ours. It starts no pause. */
function isAhead(at: number, now: number): boolean {
  return at > now + SKEW_MS
}

/** Effects that may pay a winner: `undelivered` does if the enclaves find a delivery that the index lacks. */
export const PAYING_KINDS = ['settle', 'undelivered'] as const

/**
 * Whether a winner that has delivered has waited so long that its settlement is tried again, whatever rows say: a row
 * that someone else wrote would cost the winner everything once the refund is due.
 */
function isOverdue(state: IntentState, effect: Effect, now: number): boolean {
  if (!PAYING_KINDS.some((kind) => kind === effect.kind)) return false
  const moments = [
    state.reactions.get(effect.kind)?.triedAt,
    transactionOf(state, effect)?.changedAt,
  ]
  return moments.every((at) => at == null || at < now - ROWS_COUNT_MS || isAhead(at, now))
}

function transactionOf(
  { facts: { source }, transactions }: IntentState,
  effect: Effect,
): EffectTransaction | undefined {
  return transactions.get(transactionName(effect.kind, effectName(source.intentId, effect)))
}

/** Why an effect can't be attempted now; null if it can. */
function blockOf(state: IntentState, effect: Effect, now: number): string | null {
  if (isOverdue(state, effect, now)) return null
  const reaction = state.reactions.get(effect.kind)
  if (reaction?.state === 'refused' && reaction.subject === subjectOf(effect)) {
    return reaction.reason ?? 'REFUSED'
  }
  const { sourceChainId } = state.facts.source
  const transaction = transactionOf(state, effect)
  if (transaction) {
    return transactionBlock(transaction, blockOn(sourceChainId, state.clocks), now)
  }
  const isPausing =
    reaction?.nextTryAt != null && reaction.nextTryAt > now && !isAhead(reaction.triedAt ?? 0, now)
  return reaction?.state === 'waiting' && isPausing ? (reaction.reason ?? 'PAUSING') : null
}

/**
 * Reopens a finished transaction whose effect the facts don't show: it failed and may succeed now, or a reorg removed
 * it. The index first gets time to catch up.
 */
function transactionBlock(
  { state, problem, blockNumber, changedAt, round }: EffectTransaction,
  head: number,
  now: number,
): string | null {
  const isOver = state === 'confirmed' || state === 'failed' || state === 'superseded'
  if (!isOver) return problem ?? 'TRANSACTION'
  // Not for ever: a node may have invented the block. If the effect is there after all, the call is given up unsent.
  const mayCatchUp = now < changedAt + ROWS_COUNT_MS && !isAhead(changedAt, now)
  if (state === 'confirmed' && head < (blockNumber ?? 0) && mayCatchUp) return 'INDEX_BEHIND'
  const isPausing = now < changedAt + retryAfterMs(round) && !isAhead(changedAt, now)
  return isPausing ? (problem ?? 'INDEX_BEHIND') : null
}

const FIRST_MS = 1_000
const LONGEST_MS = 300_000

/** Milliseconds before the next attempt: a second, doubled with each failure, at most five minutes. */
export function retryAfterMs(failed: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failed, 20))
}
