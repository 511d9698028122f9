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
import { find, type Read } from './rowReader.ts'
import type { Change } from './rowWrite.ts'
import { updateEscrow } from './updateEscrow.ts'
import { updatePairStatistics } from './updatePairStatistics.ts'
import { updateSolverDay } from './updateSolverDay.ts'
import { addVolume, amendStake, countSolver } from './updateSolverRecord.ts'

/** Writes of `IntentCreated`: the intent, its pair and sender, what is now held in escrow. */
export function projectCreated(read: Read, event: BridgeEventOf<'IntentCreated'>): Change[] {
  const { point, args } = event
  const bridge = find(read, 'bridge', { chainId: point.chainId })
  if (!bridge) throw historyIncomplete(event, 'its bridge')
  const listing = find(read, 'bridgeToken', { chainId: point.chainId, token: args.tokenA })
  if (!listing) throw historyIncomplete(event, "its token's listing")
  const terms = { ...bridge, quorum: listing.quorum }
  const intent = evolveSource(null, event, terms, quickKeccak) as SourceFacts
  return [
    insertRow('intent', intent),
    ...countCreation(read, intent, point, { created: 1, createdVolumeA: args.amountA }),
    updateEscrow(read, point.chainId, args.tokenA, { open: args.amountA + args.reward }),
  ]
}

/**
 * Writes of what changes the intent alone: anchor, blobs, the winner's question, the reveal. None for
 * a blob that comes too late to count.
 */
export function projectIntentAlone(
  read: Read,
  event:
    | BridgeEventOf<'IntentAnchored'>
    | BridgeEventOf<'BlobAppended'>
    | BridgeEventOf<'RecipientsAsked'>
    | BridgeEventOf<'RecipientsRevealed'>,
): Change[] {
  const { before, intent } = evolved(read, event)
  return intent === before ? [] : [updateRow('intent', before, intent)]
}

/** Writes of `BidPlaced`: the intent, the bid, the bidder's record, locks, the pair's day. */
export function projectBid(read: Read, event: BridgeEventOf<'BidPlaced'>): Change[] {
  const { point, args } = event
  const { before, intent } = evolved(read, event)
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
    countSolver(read, args.solver, 'bids', point),
    ...moveLock(read, intent, before.bestBidder, args.solver),
    updateSolverDay(read, intent, args.solver, point, { bids: 1 }),
    ...updatePairStatistics(read, intent, point, { bids: 1 }),
  ]
}

/**
 * Writes of `SolverDeposited`: the intent, the winner's record, its lock unless it was the best
 * bidder. A best bidder that it replaces forfeits its own, by `BidForfeited`.
 */
export function projectDeposited(read: Read, event: BridgeEventOf<'SolverDeposited'>): Change[] {
  const { point, args } = event
  const { before, intent } = evolved(read, event)
  const takesOver = before.bestBidder !== args.solver
  return [
    updateRow('intent', before, intent),
    countSolver(read, args.solver, 'wins', point),
    updateSolverDay(read, intent, args.solver, point, { wins: 1 }),
    ...(takesOver ? [lock(read, intent, args.solver, args.bond)] : []),
  ]
}

/** Writes of `BidForfeited`: the lock and the stake that it was taken from are gone. */
export function projectForfeited(read: Read, event: BridgeEventOf<'BidForfeited'>): Change[] {
  const { point, args } = event
  const { intent } = evolved(read, event)
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
    countSolver(read, solver, count, point),
    updateSolverDay(read, intent, solver, point, { [count]: 1, forfeited: amount }),
    addVolume(read, { chainId, solver, token }, 'forfeited', amount),
    amendStake(read, { chainId, solver, token }, { staked: -amount, locked: -amount }),
    updateEscrow(read, chainId, token, { stakes: -amount }),
  ]
}

/** Writes of `IntentSettled`: the escrow leaves, the winner's lock is released, the fee stays until it is collected. */
export function projectSettled(read: Read, event: BridgeEventOf<'IntentSettled'>): Change[] {
  const { point, args } = event
  const { before, intent } = evolved(read, event)
  const { chainId } = point
  const { tokenA: token } = intent
  const completionSeconds = point.blockTimestamp - intent.createdAt
  return [
    updateRow('intent', before, intent),
    ...updatePairStatistics(read, intent, point, {
      completed: 1,
      completedVolumeA: intent.amountA,
      completedVolumeB: intent.winningAmountB ?? 0n,
      fees: args.fee,
      rewards: intent.reward,
      completionSeconds,
    }),
    countSolver(read, args.solver, 'settlements', point),
    updateSolverDay(read, intent, args.solver, point, {
      settlements: 1,
      settledVolume: intent.amountA,
      fees: args.fee,
      paidOut: args.payout,
      completionSeconds,
    }),
    addVolume(read, { chainId, solver: args.solver, token }, 'paidOut', args.payout),
    lock(read, intent, args.solver, -calculateBond(intent)),
    updateEscrow(read, chainId, token, {
      open: -(intent.amountA + intent.reward),
      fees: args.fee,
    }),
    ...amendTranchesOrder(read, intent, event),
  ]
}

/** Writes of `IntentCancelled`: the escrow went back, the best bidder's lock is released. */
export function projectCancelled(read: Read, event: BridgeEventOf<'IntentCancelled'>): Change[] {
  const { before, intent } = evolved(read, event)
  return [
    updateRow('intent', before, intent),
    ...updatePairStatistics(read, intent, event.point, { cancelled: 1 }),
    ...moveLock(read, intent, intent.bestBidder, null),
    updateEscrow(read, intent.sourceChainId, intent.tokenA, {
      open: -(intent.amountA + intent.reward),
    }),
    ...amendTranchesOrder(read, intent, event),
  ]
}

/** Writes of `IntentRefunded`: the escrow went back. A lock that isn't forfeited with it is released. */
export function projectRefunded(read: Read, event: BridgeEventOf<'IntentRefunded'>): Change[] {
  const { point, args } = event
  const { before, intent } = evolved(read, event)
  const released = args.forfeitedBond === 0n ? (intent.solver ?? intent.bestBidder) : null
  return [
    updateRow('intent', before, intent),
    ...updatePairStatistics(
      read,
      intent,
      point,
      intent.phase === 'failed' ? { failed: 1 } : { expired: 1 },
    ),
    ...moveLock(read, intent, released, null),
    updateEscrow(read, intent.sourceChainId, intent.tokenA, {
      open: -(intent.amountA + intent.reward),
    }),
    ...amendTranchesOrder(read, intent, event),
  ]
}

/** The intent's lock passes from one solver to another, if it does. */
function moveLock(read: Read, intent: SourceFacts, from: Hex | null, to: Hex | null): Change[] {
  if (from === to) return []
  return [
    ...(from ? [lock(read, intent, from, -calculateBond(intent))] : []),
    ...(to ? [lock(read, intent, to, calculateBond(intent))] : []),
  ]
}

function lock(read: Read, intent: SourceFacts, solver: Hex, amount: bigint): Change {
  const { sourceChainId: chainId, tokenA: token } = intent
  return amendStake(read, { chainId, solver, token }, { locked: amount })
}

type IntentEvent = Extract<BridgeEvent, { args: { intentId: bigint } }>

/** The intent before and after an event; the same object when the event changes nothing of it. */
function evolved(read: Read, event: IntentEvent): { before: SourceFacts; intent: SourceFacts } {
  const key = { sourceChainId: event.point.chainId, intentId: event.args.intentId }
  const before = find(read, 'intent', key)
  if (!before) throw historyIncomplete(event, 'its intent')
  return { before, intent: evolveSource(before, event, NO_TERMS, quickKeccak) as SourceFacts }
}
