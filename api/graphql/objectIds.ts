import type { EventKey } from '../../services/store/events/loadEvents.ts'
import type { IntentKey } from '../../services/store/intents/storedIntent.ts'
import type { OrderKey } from '../../services/store/orders/findOrder.ts'
import { type Pair, pairPlace } from '../../services/store/pairs/pairFilter.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import { toIsoDay } from '../http/isoDay.ts'
import type { DayRange } from './filters/toDayRanges.ts'
import type { AsOfBlocks } from './resolveAsOfArgument.ts'

/*
 * Ids for clients' caches. No two objects share one, and neither do two moments, or two ranges of days, of the same
 * object, because its fields differ.
 */

/** @param moment from `momentOf`; empty for now */
export function intentId({ sourceChainId, intentId: id }: IntentKey, moment = ''): string {
  return `Intent:${sourceChainId}:${id}${moment}`
}

/** @param moment as in `intentId`: the bid's `intent` depends on it */
export function bidId(key: IntentKey & { bidIndex: number }, moment = ''): string {
  return `Bid:${key.sourceChainId}:${key.intentId}:${key.bidIndex}${moment}`
}

/** Contains the block's hash: after a reorg a log at the same place is another event. */
export function eventId(key: EventKey & { blockHash: Hex }, moment = ''): string {
  return `Event:${key.chainId}:${key.blockNumber}:${key.logIndex}:${key.blockHash}${moment}`
}

export function solverId(address: Hex): string {
  return `Solver:${address}`
}

/** @param moment as in `intentId` */
export function orderId({ chainId, orderId: id }: OrderKey, moment = ''): string {
  return `Order:${chainId}:${id}${moment}`
}

export function tokenId({ chainId, address }: { chainId: number; address: Hex }): string {
  return `Token:${chainId}:${address}`
}

export function routeId(pair: Pair): string {
  return `Route:${pairPlace(pair).join(':')}`
}

export function pairDayId(row: Pair & { day: number }): string {
  return `PairDay:${pairPlace(row).join(':')}:${toIsoDay(row.day)}`
}

/** @param days over which it is summed */
export function pairTotalId(pair: Pair, days: readonly DayRange[]): string {
  const end = (day: number | undefined) => (day === undefined ? '' : toIsoDay(day))
  const ranges = days.map(({ from, to }) => `${end(from)}..${end(to)}`)
  return `PairTotal:${pairPlace(pair).join(':')}:${ranges.join(',')}`
}

export function escrowId({ chainId, token }: { chainId: number; token: Hex }): string {
  return `Escrow:${chainId}:${token}`
}

export function bridgeId({ chainId }: { chainId: number }): string {
  return `Bridge:${chainId}`
}

/** `@84532:120,2651420:7`: the blocks of an argument `asOf`, sorted by chain. */
export function momentOf(blocks: AsOfBlocks): string {
  const sorted = blocks.toSorted((a, b) => a.chainId - b.chainId)
  return `@${sorted.map(({ chainId, block }) => `${chainId}:${block}`).join(',')}`
}
