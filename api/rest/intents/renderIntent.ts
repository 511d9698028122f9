import { findChainName } from '../../../core/chain/chainNames.ts'
import { deriveFinality } from '../../../core/intent/finality.ts'
import { findLockedStake } from '../../../core/intent/findLockedStake.ts'
import { findSettledDelivery, findValidDelivery } from '../../../core/intent/findWinnersDelivery.ts'
import { deriveRefund } from '../../../core/intent/refundStatus.ts'
import { deriveStatus } from '../../../core/intent/status.ts'
import { buildTimeline, type TimelineEntry } from '../../../core/intent/timeline.ts'
import type { ChainHeads } from '../../../services/store/chains/readChainStates.ts'
import type { StoredIntent } from '../../../services/store/intents/storedIntent.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { BridgeTerms } from '../../../src/intent/bridgeTerms.ts'
import { type Forfeit, forfeitsOf } from '../../../src/intent/forfeits.ts'
import type { KnownIntent } from '../../../src/intent/intentFacts.ts'
import { fromEventRow } from '../../../src/projection/eventRow.ts'
import { toIsoTime, toIsoTimeOrNull } from '../../http/isoTime.ts'
import { toChecksumAddress } from '../../http/toChecksumAddress.ts'
import { decimalOrNull } from '../../http/valueSchemas.ts'
import type { ForfeitRecord, IntentRecord, RefundRecord, TimelineRecord } from './intentSchema.ts'

/** A bridge's address, which event rows don't contain, and its time windows. */
export type BridgeOf = { address: Hex; terms: BridgeTerms }

/**
 * An intent's public record: its events, and what follows from them at the chains' current times. Pure. Hashes of
 * what hasn't happened are null; times are ISO 8601; amounts and ids are decimal strings.
 *
 * @param heads indexed heads of the chains that are ready
 * @param bridge the source chain's bridge
 */
export function renderIntent(
  stored: StoredIntent,
  heads: ChainHeads,
  bridge: BridgeOf,
): IntentRecord {
  const { source, sequence } = stored
  const facts: KnownIntent = stored
  const events = (stored.events ?? []).map((row) => fromEventRow(row, bridge.address))
  return {
    intentId: String(source.intentId),
    sourceChainId: String(source.sourceChainId),
    destChainId: String(source.destChainId),
    sourceChain: findChainName(source.sourceChainId),
    destChain: findChainName(source.destChainId),
    ...deriveStatus(facts, heads),
    finality: deriveFinality(facts, heads),
    sequence: String(sequence),
    ...terms(facts),
    ...auction(facts),
    forfeits: forfeitsOf(source, events).map(forfeitRecord),
    ...fulfilment(facts),
    timestamp: toIsoTime(source.createdAt),
    updatedAt: toIsoTime(source.updatedAt),
    refund: refundRecord(facts, heads, bridge.terms),
    timeline: buildTimeline(events, heads, bridge.terms, source.paramsHash).map(timelineRecord),
  }
}

function terms({ source }: KnownIntent) {
  return {
    createTxHash: source.createTxHash,
    sender: toChecksumAddress(source.sender),
    tokenA: toChecksumAddress(source.tokenA),
    tokenB: toChecksumAddress(source.tokenB),
    amountA: String(source.amountA),
    expectedAmountB: String(source.expectedAmountB),
    reward: String(source.reward),
    paramsHash: source.paramsHash,
    quorum: source.quorum,
    blobsHash: source.blobsHash,
    recipientClass: source.recipientClass,
    feeBps: source.feeBps,
    anchorTxHash: source.anchorTxHash,
    endTime: toIsoTime(source.endTime),
    firmAt: toIsoTime(source.firmAt),
  }
}

function auction({ source }: KnownIntent) {
  const { bestBid, bestBidder } = source
  const best =
    bestBid === null || bestBidder === null
      ? null
      : { solver: toChecksumAddress(bestBidder), amountB: String(bestBid) }
  const lock = findLockedStake(source)
  return {
    bids: { count: source.bidCount, best },
    lock: lock && { solverAddress: toChecksumAddress(lock.solver), amount: String(lock.amount) },
  }
}

function forfeitRecord({ solver, amount, reason, txHash, at }: Forfeit): ForfeitRecord {
  const solverAddress = toChecksumAddress(solver)
  return { solverAddress, amount: String(amount), reason, txHash, at: toIsoTime(at) }
}

/** The delivery that counts is the settled one or, before the settlement, the valid one. */
function fulfilment(facts: KnownIntent) {
  const { source } = facts
  const delivery = findSettledDelivery(facts) ?? findValidDelivery(facts)
  return {
    solverAddress: source.solver && toChecksumAddress(source.solver),
    winningAmountB: decimalOrNull(source.winningAmountB),
    bond: decimalOrNull(source.bond),
    fillDeadline: toIsoTimeOrNull(source.fillDeadline),
    depositTxHash: source.depositTxHash,
    askedAt: toIsoTimeOrNull(source.askedAt),
    askTxHash: source.askTxHash,
    revealedAt: toIsoTimeOrNull(source.revealedAt),
    revealTxHash: source.revealTxHash,
    solveTxHash: delivery?.solveTxHash ?? null,
    creditedAmountB: decimalOrNull(delivery?.credited ?? null),
    chain2IntentId: decimalOrNull(source.chain2IntentId ?? delivery?.chain2IntentId ?? null),
    settleTxHash: source.settleTxHash,
    settledAt: toIsoTimeOrNull(source.settledAt),
    payout: decimalOrNull(source.payout),
    fee: decimalOrNull(source.fee),
    cancelTxHash: source.cancelTxHash,
  }
}

function refundRecord(
  facts: KnownIntent,
  heads: ChainHeads,
  windows: BridgeTerms,
): RefundRecord | null {
  const owed = deriveRefund(facts, heads, windows)
  if (!owed) return null
  return {
    status: owed.status,
    amount: String(owed.amount),
    claimableAt: toIsoTimeOrNull(owed.claimableAt),
    attestableAt: toIsoTimeOrNull(owed.attestableAt),
    txHash: owed.txHash,
    at: toIsoTimeOrNull(owed.at),
  }
}

function timelineRecord(entry: TimelineEntry): TimelineRecord {
  return {
    type: entry.type,
    status: entry.status ?? null,
    at: toIsoTime(entry.at),
    chainId: String(entry.chainId),
    blockNumber: entry.blockNumber,
    txHash: entry.txHash,
  }
}
