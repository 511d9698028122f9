import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { ChainEvent, ChainEventType } from '../../src/event/chainEvent.ts'
import type { BridgeTerms, CreationTerms } from '../../src/intent/bridgeTerms.ts'
import {
  type IntentFacts,
  isKnown,
  type KnownIntent,
  NO_FACTS,
} from '../../src/intent/intentFacts.ts'
import type { Clocks } from './chainClocks.ts'
import { evolveIntent } from './evolveIntent.ts'
import { findValidDelivery, findWinnersDelivery } from './findWinnersDelivery.ts'
import { deriveStatus, type Status } from './status.ts'

/** One entry of an intent's timeline. */
export type TimelineEntry = {
  /** The event; `AuctionExpired` and `DeliveryOverdue` are deadlines that passed without one. */
  type: ChainEventType | 'AuctionExpired' | 'DeliveryOverdue'
  /** The intent's new status, if it changed. */
  status?: Status
  /** Unix seconds of the entry's chain. */
  at: number
  /** Null for a passed deadline. */
  blockNumber: number | null
  /** Null for a passed deadline. */
  txHash: Hex | null
  chainId: number
}

/** Chains without clocks: only events, no passed deadlines. */
const NO_CLOCKS: Clocks = new Map()

/** No entry says how many signatures an intent needs. */
const ANY_QUORUM = 1

/**
 * An intent's timeline, earliest first, from its events on all chains (each chain's in order, chains in any order). A
 * deadline missed by `clocks` is an entry too, at its time. Omits what anyone can repeat: bids after the first,
 * deliveries that don't count, appends that come too late.
 *
 * Empty while the creation is unknown.
 *
 * @param paramsHash the intent's, if known: hashing it again would take most of the time
 */
export function buildTimeline(
  events: readonly ChainEvent[],
  clocks: Clocks,
  terms: BridgeTerms,
  paramsHash?: Hex,
): TimelineEntry[] {
  const fold = createFold({ ...terms, quorum: ANY_QUORUM }, paramsHash)
  const facts = events.reduce(fold, NO_FACTS)
  if (!isKnown(facts)) return []
  const known = events
    .filter(createFilter(facts))
    .toSorted(compareByTime(facts.source.sourceChainId))
  const missed = findMissedDeadline(facts, clocks)
  const place = missed ? known.findIndex((event) => event.point.blockTimestamp >= missed.at) : -1
  const before = place === -1 ? known : known.slice(0, place)
  const after = place === -1 ? [] : known.slice(place)
  return buildEntries([...before, ...(missed ? [missed] : []), ...after], fold)
}

type Fold = (facts: IntentFacts, event: ChainEvent) => IntentFacts

/** Entries depend on no other hash than the params hash. */
function createFold(terms: CreationTerms, paramsHash: Hex | undefined): Fold {
  const keccak = paramsHash && (() => paramsHash)
  return (facts, event) => evolveIntent(facts, event, terms, keccak)
}

/** A deadline that passed without an event. */
type Moment = { type: 'AuctionExpired' | 'DeliveryOverdue'; at: number; chainId: number }

function buildEntries(steps: readonly (ChainEvent | Moment)[], fold: Fold): TimelineEntry[] {
  let facts: IntentFacts = NO_FACTS
  let clocks = NO_CLOCKS
  let current: Status | null = null
  return steps.map((step) => {
    if ('args' in step) facts = fold(facts, step)
    else clocks = new Map([[step.chainId, { timestamp: step.at, blockNumber: 0 }]])
    const next = isKnown(facts) ? deriveStatus(facts, clocks).status : null
    const changed = next !== null && next !== current
    current = next
    return changed ? { ...toEntry(step), status: next } : toEntry(step)
  })
}

function toEntry(step: ChainEvent | Moment): TimelineEntry {
  if (!('args' in step)) return { ...step, blockNumber: null, txHash: null }
  const { blockTimestamp: at, blockNumber, transactionHash: txHash, chainId } = step.point
  return { type: step.type, at, blockNumber, txHash, chainId }
}

/** The passed deadline that explains the status, if one does. */
function findMissedDeadline(facts: KnownIntent, clocks: Clocks): Moment | null {
  const { source } = facts
  const word = deriveStatus(facts, clocks).status
  if (word === 'expired') {
    const at = source.bidCount === 0 ? source.endTime : source.pickupDeadline
    return { type: 'AuctionExpired', at, chainId: source.sourceChainId }
  }
  if (word !== 'failed' || source.fillDeadline === null || findValidDelivery(facts)) return null
  return { type: 'DeliveryOverdue', at: source.fillDeadline, chainId: source.destChainId }
}

function createFilter(facts: KnownIntent): (event: ChainEvent) => boolean {
  const { source } = facts
  const delivery = findWinnersDelivery(facts)
  let bidSeen = false
  return (event) => {
    switch (event.type) {
      case 'IntentSolved':
      case 'DeliveryCredited':
        return (
          event.point.chainId === delivery?.destChainId &&
          event.args.chain2IntentId === delivery.chain2IntentId
        )
      case 'BidPlaced': {
        const repeated = bidSeen
        bidSeen = true
        return !repeated
      }
      case 'BlobAppended':
        return event.point.blockTimestamp < source.firmAt
      default:
        return true
    }
  }
}

/** By block time; at the same second the source chain first; within a chain in its order. */
function compareByTime(sourceChainId: number): (a: ChainEvent, b: ChainEvent) => number {
  return ({ point: a }, { point: b }) => {
    if (a.chainId === b.chainId) return a.blockNumber - b.blockNumber || a.logIndex - b.logIndex
    return a.blockTimestamp - b.blockTimestamp || (a.chainId === sourceChainId ? -1 : 1)
  }
}
