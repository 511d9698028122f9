import { parseChainId } from '../chain/parseChainId.ts'
import type { BridgeEvent, BridgeEventOf } from '../event/bridgeEvent.ts'
import type { SourceFacts } from './facts.ts'
import type { BridgeTerms } from './terms.ts'

/** The byte string of an event that carries no recovery blob. */
const NO_BLOB = '0x'

/**
 * What the source chain says of an intent, after one more event of its bridge.
 *
 * Total: an event that says nothing of an intent, or that comes before the creation, leaves the
 * facts as they are (the same object). Events of one chain must be given in the chain's order.
 */
export function evolveSource(
  source: SourceFacts | null,
  event: BridgeEvent,
  terms: BridgeTerms,
): SourceFacts | null {
  if (event.type === 'IntentCreated') return created(event, terms)
  return source && amend(source, event)
}

function amend(source: SourceFacts, event: BridgeEvent): SourceFacts {
  switch (event.type) {
    case 'IntentAnchored':
      return anchored(source, event)
    case 'BlobAppended':
      return { ...source, blobCount: blobs(source, event), ...touched(event) }
    case 'BidPlaced':
      return bidPlaced(source, event)
    case 'SolverDeposited':
      return deposited(source, event)
    case 'IntentSettled':
      return settled(source, event)
    case 'IntentCancelled':
      return cancelled(source, event)
    case 'IntentRefunded':
      return refunded(source, event)
    default:
      return source
  }
}

function created(event: BridgeEventOf<'IntentCreated'>, terms: BridgeTerms): SourceFacts {
  const { args, point } = event
  const destChainId = parseChainId(args.destChainId)
  if (destChainId === null) throw new RangeError(`no chain can have the id ${args.destChainId}`)
  const endTime = Number(args.endTime)
  return {
    ...NOT_YET,
    sourceChainId: point.chainId,
    intentId: args.intentId,
    phase: 'open',
    sender: args.user,
    destChainId,
    tokenA: args.tokenA,
    tokenB: args.tokenB,
    amountA: args.amountA,
    expectedAmountB: args.expectedAmountB,
    reward: args.reward,
    endTime,
    pickupDeadline: endTime + 2 * terms.pickupWindow,
    createTxHash: point.transactionHash,
    createdAt: point.blockTimestamp,
    createdBlock: point.blockNumber,
    blobCount: args.encryptedBlob === NO_BLOB ? 0 : 1,
    ...touched(event),
  }
}

function anchored(source: SourceFacts, event: BridgeEventOf<'IntentAnchored'>): SourceFacts {
  return {
    ...source,
    feeBps: event.args.feeBps,
    anchorTxHash: event.point.transactionHash,
    anchoredAt: event.point.blockTimestamp,
    blobCount: blobs(source, event),
    ...touched(event),
  }
}

function bidPlaced(source: SourceFacts, event: BridgeEventOf<'BidPlaced'>): SourceFacts {
  return {
    ...source,
    phase: 'bidding',
    bidCount: source.bidCount + 1,
    bestBid: event.args.amountB,
    bestBidder: event.args.solver,
    ...touched(event),
  }
}

function deposited(source: SourceFacts, event: BridgeEventOf<'SolverDeposited'>): SourceFacts {
  const { args, point } = event
  return {
    ...source,
    phase: 'deposited',
    solver: args.solver,
    winningAmountB: args.amountB,
    bond: args.bond,
    fillDeadline: Number(args.fillDeadline),
    depositTxHash: point.transactionHash,
    depositedAt: point.blockTimestamp,
    ...touched(event),
  }
}

function settled(source: SourceFacts, event: BridgeEventOf<'IntentSettled'>): SourceFacts {
  const { args, point } = event
  return {
    ...source,
    phase: 'completed',
    settleTxHash: point.transactionHash,
    settledAt: point.blockTimestamp,
    payout: args.payout,
    fee: args.fee,
    chain2IntentId: args.chain2IntentId,
    settledSolveTxHash: args.solveTxHash,
    attester: args.attester,
    ...touched(event),
  }
}

function cancelled(source: SourceFacts, event: BridgeEventOf<'IntentCancelled'>): SourceFacts {
  return {
    ...source,
    phase: 'cancelled',
    cancelTxHash: event.point.transactionHash,
    cancelledAt: event.point.blockTimestamp,
    refundAmount: event.args.amount,
    ...touched(event),
  }
}

function refunded(source: SourceFacts, event: BridgeEventOf<'IntentRefunded'>): SourceFacts {
  const { args, point } = event
  return {
    ...source,
    phase: args.reason === 0 ? 'expired' : 'failed',
    refundTxHash: point.transactionHash,
    refundedAt: point.blockTimestamp,
    refundAmount: args.amount,
    slashedBond: args.slashedBond,
    ...touched(event),
  }
}

function blobs(
  source: SourceFacts,
  event: BridgeEventOf<'IntentAnchored'> | BridgeEventOf<'BlobAppended'>,
): number {
  return source.blobCount + (event.args.encryptedBlob === NO_BLOB ? 0 : 1)
}

function touched({ point }: BridgeEvent): Pick<SourceFacts, 'updatedBlock' | 'updatedAt'> {
  return { updatedBlock: point.blockNumber, updatedAt: point.blockTimestamp }
}

/** Everything that later events fill in. */
const NOT_YET = {
  feeBps: null,
  anchorTxHash: null,
  anchoredAt: null,
  bidCount: 0,
  bestBid: null,
  bestBidder: null,
  solver: null,
  winningAmountB: null,
  bond: null,
  fillDeadline: null,
  depositTxHash: null,
  depositedAt: null,
  settleTxHash: null,
  settledAt: null,
  payout: null,
  fee: null,
  chain2IntentId: null,
  settledSolveTxHash: null,
  attester: null,
  cancelTxHash: null,
  cancelledAt: null,
  refundTxHash: null,
  refundedAt: null,
  refundAmount: null,
  slashedBond: null,
} as const
