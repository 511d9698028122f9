import type { BridgeEvent, BridgeEventOf } from '../event/bridgeEvent.ts'
import { evolveSource } from '../intent/evolveSource.ts'
import type { SourceFacts } from '../intent/facts.ts'
import type { BridgeTerms } from '../intent/terms.ts'
import { amendEscrow } from './amendEscrow.ts'
import { amendPairDay } from './amendPairDay.ts'
import { addVolume, countSolver } from './amendSolver.ts'
import type { Change } from './change.ts'
import { ProjectionError } from './projectionError.ts'
import { type Asking, find } from './read.ts'
import { insertRow, updateRow } from './rowChange.ts'

/** The windows only matter to a creation. */
const NO_TERMS: BridgeTerms = { pickupWindow: 0, executionWindow: 0, settlementGrace: 0 }

/** Writes of `IntentCreated`: the intent, its pair's day, what is now held in escrow. */
export function* projectCreated(event: BridgeEventOf<'IntentCreated'>): Asking<Change[]> {
  const { point, args } = event
  const bridge = yield* find('bridge', { chainId: point.chainId })
  if (!bridge) throw historyIncomplete(event, 'its bridge')
  const intent = evolveSource(null, event, bridge) as SourceFacts
  return [
    insertRow('intent', intent),
    yield* amendPairDay(intent, point, { created: 1, createdVolumeA: args.amountA }),
    yield* amendEscrow(point.chainId, args.tokenA, { open: args.amountA + args.reward }),
  ]
}

/** Writes of `IntentAnchored` and `BlobAppended`: the intent alone. */
export function* projectBlob(
  event: BridgeEventOf<'IntentAnchored'> | BridgeEventOf<'BlobAppended'>,
): Asking<Change[]> {
  return [updateRow('intent', yield* evolved(event))]
}

/** Writes of `BidPlaced`: the intent, the bid, the bidder's record, the pair's day. */
export function* projectBid(event: BridgeEventOf<'BidPlaced'>): Asking<Change[]> {
  const { point, args } = event
  const intent = yield* evolved(event)
  return [
    updateRow('intent', intent),
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
    yield* amendPairDay(intent, point, { bids: 1 }),
  ]
}

/** Writes of `SolverDeposited`: the intent, the winner's record, the bond held. */
export function* projectDeposited(event: BridgeEventOf<'SolverDeposited'>): Asking<Change[]> {
  const { point, args } = event
  const intent = yield* evolved(event)
  return [
    updateRow('intent', intent),
    yield* countSolver(args.solver, 'wins', point),
    yield* amendEscrow(point.chainId, intent.tokenA, { bonds: args.bond }),
  ]
}

/** Writes of `IntentSettled`: escrow and bond leave, the fee stays until it is collected. */
export function* projectSettled(event: BridgeEventOf<'IntentSettled'>): Asking<Change[]> {
  const { point, args } = event
  const intent = yield* evolved(event)
  const { chainId } = point
  const { tokenA: token } = intent
  return [
    updateRow('intent', intent),
    yield* amendPairDay(intent, point, {
      completed: 1,
      completedVolumeA: intent.amountA,
      completedVolumeB: intent.winningAmountB ?? 0n,
      fees: args.fee,
      rewards: intent.reward,
    }),
    yield* countSolver(args.solver, 'settlements', point),
    yield* addVolume({ chainId, solver: args.solver, token }, 'paidOut', args.payout),
    yield* amendEscrow(chainId, token, {
      open: -(intent.amountA + intent.reward),
      bonds: -(intent.bond ?? 0n),
      fees: args.fee,
    }),
  ]
}

/** Writes of `IntentCancelled`: the escrow went back. */
export function* projectCancelled(event: BridgeEventOf<'IntentCancelled'>): Asking<Change[]> {
  const intent = yield* evolved(event)
  return [
    updateRow('intent', intent),
    yield* amendPairDay(intent, event.point, { cancelled: 1 }),
    yield* amendEscrow(intent.sourceChainId, intent.tokenA, {
      open: -(intent.amountA + intent.reward),
    }),
  ]
}

/** Writes of `IntentRefunded`: the escrow went back, and with it the bond of a winner that failed. */
export function* projectRefunded(event: BridgeEventOf<'IntentRefunded'>): Asking<Change[]> {
  const { point, args } = event
  const intent = yield* evolved(event)
  const { sourceChainId: chainId, tokenA: token, solver } = intent
  const changes = [
    updateRow('intent', intent),
    yield* amendPairDay(intent, point, intent.phase === 'failed' ? { failed: 1 } : { expired: 1 }),
    yield* amendEscrow(chainId, token, {
      open: -(intent.amountA + intent.reward),
      bonds: -(intent.bond ?? 0n),
    }),
  ]
  if (intent.phase === 'failed' && solver) {
    changes.push(yield* countSolver(solver, 'failures', point))
    changes.push(yield* addVolume({ chainId, solver, token }, 'slashed', args.slashedBond))
  }
  return changes
}

type IntentEvent = Extract<BridgeEvent, { args: { intentId: bigint } }>

function* evolved(event: IntentEvent): Asking<SourceFacts> {
  const key = { sourceChainId: event.point.chainId, intentId: event.args.intentId }
  const intent = yield* find('intent', key)
  if (!intent) throw historyIncomplete(event, 'its intent')
  return evolveSource(intent, event, NO_TERMS) as SourceFacts
}

function historyIncomplete({ type, point }: BridgeEvent, missing: string): ProjectionError {
  return new ProjectionError(
    `${type} in block ${point.blockNumber} of chain ${point.chainId}, but ${missing} is unknown: ` +
      "the chain's start block must not be after the block of the bridge's deployment",
  )
}
