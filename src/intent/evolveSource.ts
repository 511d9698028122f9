import { parseChainId } from '../chain/parseChainId.ts'
import type { BridgeEventOf, Hex } from '../event/bridgeEvent.ts'
import type { ChainEvent } from '../event/chainEvent.ts'
import { BLOB_KIND, foldBlobsHash, NO_BLOBS } from '../event/foldBlobsHash.ts'
import { type Keccak, paramsHash } from '../event/paramsHash.ts'
import { readIntentTerms } from '../event/readIntentTerms.ts'
import { type CreationTerms, firmAtOf } from './bridgeTerms.ts'
import type { SourceFacts } from './intentFacts.ts'

/** The byte string of an event that carries no recovery blob. */
const NO_BLOB = '0x'

/**
 * What the source chain says of an intent, after one more event of its bridge, or of the vault whose order
 * it is a tranche of.
 *
 * Total: an event that says nothing of an intent, or that comes before the creation, leaves the
 * facts as they are (the same object). Events of one chain must be given in the chain's order.
 *
 * @param keccak another keccak256, for who folds many
 */
export function evolveSource(
  source: SourceFacts | null,
  event: ChainEvent,
  terms: CreationTerms,
  keccak?: Keccak,
): SourceFacts | null {
  if (event.type === 'IntentCreated') return created(event, terms, keccak)
  return source && amend(source, event, keccak)
}

function amend(source: SourceFacts, event: ChainEvent, keccak?: Keccak): SourceFacts {
  switch (event.type) {
    case 'IntentAnchored':
      return anchored(source, event, keccak)
    case 'BlobAppended':
      return blobAppended(source, event, keccak)
    case 'BidPlaced':
      return bidPlaced(source, event)
    case 'SolverDeposited':
      return deposited(source, event)
    case 'TrancheFired':
      return { ...source, orderId: event.args.orderId, trancheIndex: Number(event.args.n) }
    case 'RecipientsAsked':
      return { ...source, askedAt: at(event), askTxHash: by(event), ...touched(event) }
    case 'RecipientsRevealed':
      return { ...source, revealedAt: at(event), revealTxHash: by(event), ...touched(event) }
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

function created(
  event: BridgeEventOf<'IntentCreated'>,
  terms: CreationTerms,
  keccak?: Keccak,
): SourceFacts {
  const { args, point } = event
  const destChainId = parseChainId(args.destChainId)
  if (destChainId === null) throw new RangeError(`no chain can have the id ${args.destChainId}`)
  const endTime = Number(args.endTime)
  return {
    ...NOT_YET,
    sourceChainId: point.chainId,
    intentId: args.intentId,
    paramsHash: paramsHash(readIntentTerms(event), keccak),
    phase: 'open',
    sender: args.user,
    destChainId,
    tokenA: args.tokenA,
    tokenB: args.tokenB,
    amountA: args.amountA,
    expectedAmountB: args.expectedAmountB,
    reward: args.reward,
    endTime,
    firmAt: firmAtOf(endTime, point.blockTimestamp, terms.firmSeconds),
    pickupDeadline: endTime + 2 * terms.pickupWindow,
    createTxHash: point.transactionHash,
    createdAt: point.blockTimestamp,
    createdBlock: point.blockNumber,
    quorum: terms.quorum,
    ...(args.encryptedBlob === NO_BLOB
      ? { blobCount: 0, blobsHash: NO_BLOBS }
      : {
          blobCount: 1,
          blobsHash: foldBlobsHash(NO_BLOBS, BLOB_KIND.creation, args.encryptedBlob, keccak),
        }),
    ...touched(event),
  }
}

function anchored(
  source: SourceFacts,
  event: BridgeEventOf<'IntentAnchored'>,
  keccak?: Keccak,
): SourceFacts {
  const { feeBps, recipientClass, encryptedBlob } = event.args
  return {
    ...source,
    feeBps,
    recipientClass,
    anchorTxHash: by(event),
    anchoredAt: at(event),
    ...withBlob(source, BLOB_KIND.anchor, encryptedBlob, keccak),
    ...touched(event),
  }
}

/**
 * From firmAt on an append is only an event: anyone can send an enclave's old one again, so it must
 * not even make the intent look changed.
 */
function blobAppended(
  source: SourceFacts,
  event: BridgeEventOf<'BlobAppended'>,
  keccak?: Keccak,
): SourceFacts {
  if (at(event) >= source.firmAt) return source
  const { kind, encryptedBlob } = event.args
  return { ...source, ...withBlob(source, kind, encryptedBlob, keccak), ...touched(event) }
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
    forfeitedBond: args.forfeitedBond,
    ...touched(event),
  }
}

function withBlob(
  source: SourceFacts,
  kind: number,
  blob: Hex,
  keccak?: Keccak,
): Pick<SourceFacts, 'blobCount' | 'blobsHash'> {
  return {
    blobCount: source.blobCount + (blob === NO_BLOB ? 0 : 1),
    blobsHash: foldBlobsHash(source.blobsHash, kind, blob, keccak),
  }
}

function at({ point }: ChainEvent): number {
  return point.blockTimestamp
}

function by({ point }: ChainEvent): Hex {
  return point.transactionHash
}

function touched({ point }: ChainEvent): Pick<SourceFacts, 'updatedBlock' | 'updatedAt'> {
  return { updatedBlock: point.blockNumber, updatedAt: point.blockTimestamp }
}

/** Everything that later events fill in. */
const NOT_YET = {
  orderId: null,
  trancheIndex: null,
  feeBps: null,
  recipientClass: null,
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
  askedAt: null,
  askTxHash: null,
  revealedAt: null,
  revealTxHash: null,
  settleTxHash: null,
  settledAt: null,
  payout: null,
  fee: null,
  chain2IntentId: null,
  attester: null,
  cancelTxHash: null,
  cancelledAt: null,
  refundTxHash: null,
  refundedAt: null,
  refundAmount: null,
  forfeitedBond: null,
} as const
