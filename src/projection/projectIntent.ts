import type { BridgeEvent, BridgeEventOf, Hex } from '../event/bridgeEvent.ts'
import { quickKeccak } from '../event/quickKeccak.ts'
import { NO_TERMS } from '../intent/bridgeTerms.ts'
import { evolveSource } from '../intent/evolveSource.ts'
import { forfeitReason } from '../intent/forfeits.ts'
import type { SourceFacts } from '../intent/intentFacts.ts'
import { calculateBond } from '../money/calculateBond.ts'
import { countCreation } from './countCreation.ts'
import { historyIncomplete } from './projectionError.ts'
import { amendTranchesOrder } from './projectOrder.ts'
import { insertRow, updateRow } from './rowChange.ts'
import { type Asking, find } from './rowReader.ts'
import type { Change } from './rowWrite.ts'
import { updateEscrow } from './updateEscrow.ts'
import { updatePairStatistics } from './updatePairStatistics.ts'
import { updateSolverDay } from './updateSolverDay.ts'
import { addVolume, amendStake, countSolver } from './updateSolverRecord.ts'

/** Writes of `IntentCreated`: the intent, its pair and sender, what is now held in escrow. */
export function* projectCreated(event: BridgeEventOf<'IntentCreated'>): Asking<Change[]> {
  const { point, args } = event
  const bridge = yield* find('bridge', { chainId: point.chainId })
  if (!bridge) throw historyIncomplete(event, 'its bridge')
  const listing = yield* find('bridgeToken', { chainId: point.chainId, token: args.tokenA })
  if (!listing) throw historyIncomplete(event, "its token's listing")
  const terms = { ...bridge, quorum: listing.quorum }
  const intent = evolveSource(null, event, terms, quickKeccak) as SourceFacts
  return [
    insertRow('intent', intent),
    ...(yield* countCreation(intent, point, { created: 1, createdVolumeA: args.amountA })),
    yield* updateEscrow(point.chainId, args.tokenA, { open: args.amountA + args.reward }),
  ]
}

/**
 * Writes of what changes the intent alone: anchor, blobs, the winner's question, the reveal. None for
 * a blob that comes too late to count.
 */
export function* projectIntentAlone(
  event:
    | BridgeEventOf<'IntentAnchored'>
    | BridgeEventOf<'BlobAppended'>
    | BridgeEventOf<'RecipientsAsked'>
    | BridgeEventOf<'RecipientsRevealed'>,
): Asking<Change[]> {
  const { before, intent } = yield* evolved(event)
  return intent === before ? [] : [updateRow('intent', before, intent)]
}

/** Writes of `BidPlaced`: the intent, the bid, the bidder's record, locks, the pair's day. */
export function* projectBid(event: BridgeEventOf<'BidPlaced'>): Asking<Change[]> {
  const { point, args } = event
  const { before, intent } = yield* evolved(event)
  return [
    updateRow('intent', before, intent),
    insertRow('bid', {
      sourceChainId: intent.sourceChainId,
      intentId: intent.intentId,
      bidIndex: intent.bidCount,
      solver: args.solver,
      amountB: args.amountB,
      bidTxHash: point.transactionHash,
      bidAt: point.blockTimestamp,
      blockNumber: point.blockNumber,
    }),
    yield* countSolver(args.solver, 'bids', point),
    ...(yield* moveLock(intent, before.bestBidder, args.solver)),
    yield* updateSolverDay(intent, args.solver, point, { bids: 1 }),
    ...(yield* updatePairStatistics(intent, point, { bids: 1 })),
  ]
}

/**
 * Writes of `SolverDeposited`: the intent, the winner's record, its lock unless it was the best
 * bidder. A best bidder that it replaces forfeits its own, by `BidForfeited`.
 */
export function* projectDeposited(event: BridgeEventOf<'SolverDeposited'>): Asking<Change[]> {
  const { point, args } = event
  const { before, intent } = yield* evolved(event)
  const takesOver = before.bestBidder !== args.solver
  return [
    updateRow('intent', before, intent),
    yield* countSolver(args.solver, 'wins', point),
    yield* updateSolverDay(intent, args.solver, point, { wins: 1 }),
    ...(takesOver ? [yield* lock(intent, args.solver, args.bond)] : []),
  ]
}

/** Writes of `BidForfeited`: the lock and the stake that it was taken from are gone. */
export function* projectForfeited(event: BridgeEventOf<'BidForfeited'>): Asking<Change[]> {
  const { point, args } = event
  const { intent } = yield* evolved(event)
  const { chainId } = point
  const { solver, amount } = args
  const token = intent.tokenA
  const reason = forfeitReason(intent, solver)
  const count = reason === 'no_deposit' ? 'noShows' : 'failures'
  return [
    insertRow('forfeit', {
      sourceChainId: intent.sourceChainId,
      intentId: intent.intentId,
      solver,
      token,
      amount,
      reason,
      forfeitTxHash: point.transactionHash,
      forfeitedAt: point.blockTimestamp,
      blockNumber: point.blockNumber,
    }),
    yield* countSolver(solver, count, point),
    yield* updateSolverDay(intent, solver, point, { [count]: 1, forfeited: amount }),
    yield* addVolume({ chainId, solver, token }, 'forfeited', amount),
    yield* amendStake({ chainId, solver, token }, { staked: -amount, locked: -amount }),
    yield* updateEscrow(chainId, token, { stakes: -amount }),
  ]
}

/** Writes of `IntentSettled`: the escrow leaves, the winner's lock is released, the fee stays until it is collected. */
export function* projectSettled(event: BridgeEventOf<'IntentSettled'>): Asking<Change[]> {
  const { point, args } = event
  const { before, intent } = yield* evolved(event)
  const { chainId } = point
  const { tokenA: token } = intent
  const completionSeconds = point.blockTimestamp - intent.createdAt
  return [
    updateRow('intent', before, intent),
    ...(yield* updatePairStatistics(intent, point, {
      completed: 1,
      completedVolumeA: intent.amountA,
      completedVolumeB: intent.winningAmountB ?? 0n,
      fees: args.fee,
      rewards: intent.reward,
      completionSeconds,
    })),
    yield* countSolver(args.solver, 'settlements', point),
    yield* updateSolverDay(intent, args.solver, point, {
      settlements: 1,
      settledVolume: intent.amountA,
      fees: args.fee,
      paidOut: args.payout,
      completionSeconds,
    }),
    yield* addVolume({ chainId, solver: args.solver, token }, 'paidOut', args.payout),
    yield* lock(intent, args.solver, -calculateBond(intent)),
    yield* updateEscrow(chainId, token, {
      open: -(intent.amountA + intent.reward),
      fees: args.fee,
    }),
    ...(yield* amendTranchesOrder(intent, event)),
  ]
}

/** Writes of `IntentCancelled`: the escrow went back, the best bidder's lock is released. */
export function* projectCancelled(event: BridgeEventOf<'IntentCancelled'>): Asking<Change[]> {
  const { before, intent } = yield* evolved(event)
  return [
    updateRow('intent', before, intent),
    ...(yield* updatePairStatistics(intent, event.point, { cancelled: 1 })),
    ...(yield* moveLock(intent, intent.bestBidder, null)),
    yield* updateEscrow(intent.sourceChainId, intent.tokenA, {
      open: -(intent.amountA + intent.reward),
    }),
    ...(yield* amendTranchesOrder(intent, event)),
  ]
}

/** Writes of `IntentRefunded`: the escrow went back. A lock that isn't forfeited with it is released. */
export function* projectRefunded(event: BridgeEventOf<'IntentRefunded'>): Asking<Change[]> {
  const { point, args } = event
  const { before, intent } = yield* evolved(event)
  const released = args.forfeitedBond === 0n ? (intent.solver ?? intent.bestBidder) : null
  return [
    updateRow('intent', before, intent),
    ...(yield* updatePairStatistics(
      intent,
      point,
      intent.phase === 'failed' ? { failed: 1 } : { expired: 1 },
    )),
    ...(yield* moveLock(intent, released, null)),
    yield* updateEscrow(intent.sourceChainId, intent.tokenA, {
      open: -(intent.amountA + intent.reward),
    }),
    ...(yield* amendTranchesOrder(intent, event)),
  ]
}

/** The intent's lock passes from one solver to another, if it does. */
function* moveLock(intent: SourceFacts, from: Hex | null, to: Hex | null): Asking<Change[]> {
  if (from === to) return []
  return [
    ...(from ? [yield* lock(intent, from, -calculateBond(intent))] : []),
    ...(to ? [yield* lock(intent, to, calculateBond(intent))] : []),
  ]
}

function lock(intent: SourceFacts, solver: Hex, amount: bigint): Asking<Change> {
  const { sourceChainId: chainId, tokenA: token } = intent
  return amendStake({ chainId, solver, token }, { locked: amount })
}

type IntentEvent = Extract<BridgeEvent, { args: { intentId: bigint } }>

/** The intent before and after an event; the same object when the event changes nothing of it. */
function* evolved(event: IntentEvent): Asking<{ before: SourceFacts; intent: SourceFacts }> {
  const key = { sourceChainId: event.point.chainId, intentId: event.args.intentId }
  const before = yield* find('intent', key)
  if (!before) throw historyIncomplete(event, 'its intent')
  return { before, intent: evolveSource(before, event, NO_TERMS, quickKeccak) as SourceFacts }
}
