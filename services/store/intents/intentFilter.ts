import type { RawBuilder } from 'kysely'
import type { RefundStatus } from '../../../core/intent/refundSql.ts'
import type { Status } from '../../../core/intent/status.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { SourceFacts } from '../../../src/intent/facts.ts'
import { sqlColumn } from '../database/columns.ts'
import { equals, within } from '../database/filterSql.ts'

/** A range: `from` and `to` belong to it. */
export type Range<Value> = { from?: Value | undefined; to?: Value | undefined }

/** What intents to list; absent fields don't restrict. Addresses in lower case. */
export type IntentFilter = {
  /** Any of these. None at all if empty. */
  statuses?: readonly Status[] | undefined
  /** With a refund of any of these. */
  refunds?: readonly RefundStatus[] | undefined
  sourceChainId?: number | undefined
  destChainId?: number | undefined
  sender?: Hex | undefined
  /** The winner: the solver that deposited. */
  solver?: Hex | undefined
  bestBidder?: Hex | undefined
  tokenA?: Hex | undefined
  tokenB?: Hex | undefined
  feeBps?: number | undefined
  /** Unix seconds. */
  createdAt?: Range<number> | undefined
  endTime?: Range<number> | undefined
  updatedAt?: Range<number> | undefined
  /** Only settled intents. */
  settledAt?: Range<number> | undefined
  /** Base units of tokenA. */
  amountA?: Range<bigint> | undefined
  reward?: Range<bigint> | undefined
  /** Only settled intents. */
  fee?: Range<bigint> | undefined
  /** Base units of tokenB. */
  expectedAmountB?: Range<bigint> | undefined
  /** Nothing that passes one of these. Absent rather than empty. */
  not?: readonly IntentFilter[] | undefined
}

type Column = keyof IntentFilter & keyof SourceFacts

/** Fields that name one value. */
export const EQUAL = [
  'sourceChainId',
  'destChainId',
  'sender',
  'solver',
  'bestBidder',
  'tokenA',
  'tokenB',
  'feeBps',
] as const satisfies readonly Column[]

/** Fields that name any of several words. */
export const WORDS = ['statuses', 'refunds'] as const satisfies readonly (keyof IntentFilter)[]

/** Fields that name a range. */
export const RANGES = [
  'createdAt',
  'endTime',
  'updatedAt',
  'settledAt',
  'amountA',
  'reward',
  'fee',
  'expectedAmountB',
] as const satisfies readonly Column[]

/** The filter's conditions on a row aliased `intent`, except for its statuses, its refunds and what it leaves out. */
export function filterConditions(filter: IntentFilter): RawBuilder<unknown>[] {
  const column = (name: Column) => `intent.${sqlColumn(name)}`
  return [
    ...EQUAL.flatMap((name) => equals(column(name), filter[name])),
    ...RANGES.flatMap((name) => within(column(name), filter[name])),
  ]
}
