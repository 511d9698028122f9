import type { ChainEvent } from '../../src/event/chainEvent.ts'
import type { BridgeTerms } from '../../src/intent/bridgeTerms.ts'
import type { Clocks } from '../intent/chainClocks.ts'
import { buildTimeline, type TimelineEntry } from '../intent/timeline.ts'
import type { IntentPushType } from './pushEvent.ts'

/** One event of an intent. */
export type Transition = {
  /** The same each time for the same fact; a different one if the fact moves to another block. */
  key: string
  type: IntentPushType
  /** Unix seconds. */
  at: number
  /** Where it happened, or whose clock passed the deadline. */
  chainId: number
  /** Null for a deadline that passed. */
  event: ChainEvent | null
}

/**
 * All events of one intent, earliest first, as the chains stand now: each change of its status, and the refund. Pure,
 * so a rebuilt index gives the same keys.
 *
 * @param events of all chains, each chain's in its order
 */
export function listIntentTransitions(
  events: readonly ChainEvent[],
  clocks: Clocks,
  terms: BridgeTerms,
): Transition[] {
  return buildTimeline(events, clocks, terms).flatMap((entry) => {
    const event = events.find((one) => isOf(one, entry)) ?? null
    const types: IntentPushType[] = entry.status ? [`intent.${entry.status}`] : []
    if (entry.type === 'IntentRefunded') types.push('intent.refunded')
    return types.map((type) => ({
      key: `${type}@${formatPlace(entry, event)}`,
      type,
      event,
      at: entry.at,
      chainId: entry.chainId,
    }))
  })
}

function isOf({ type, point }: ChainEvent, entry: TimelineEntry): boolean {
  return (
    type === entry.type &&
    point.chainId === entry.chainId &&
    point.blockNumber === entry.blockNumber &&
    point.transactionHash === entry.txHash
  )
}

function formatPlace({ chainId, at }: TimelineEntry, event: ChainEvent | null): string {
  if (event === null) return `${chainId}:${at}`
  return `${chainId}:${event.point.blockHash}:${event.point.logIndex}`
}
