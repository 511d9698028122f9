import type { RawBuilder } from 'kysely'
import type { RefundStatus } from '../../../core/intent/refundSql.ts'
import type { Status } from '../../../core/intent/status.ts'
import { toColumnName } from '../../../core/rows/columnName.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { SourceFacts } from '../../../src/intent/intentFacts.ts'
import { equals, within } from '../database/filterSql.ts'

/** A range, including `from` and `to`. */
export type Range<Value> = { from?: Value | undefined; to?: Value | undefined }

/** Filters intents; absent fields don't restrict. Addresses in lower case. */
export type IntentFilter = {
  /** Any of these; an empty list matches nothing. */
  statuses?: readonly Status[] | undefined
  /** Any of these refund statuses. */
  refunds?: readonly RefundStatus[] | undefined
  sourceChainId?: number | undefined
  destChainId?: number | undefined
  sender?: Hex | undefined
  /** The winner, which deposited. */
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
  /** Intents must pass none of these. Absent rather than empty. */
  not?: readonly IntentFilter[] | undefined
}

type Column = keyof IntentFilter & keyof SourceFacts

/** Fields with one value. */
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

const LISTS = ['statuses', 'refunds'] as const satisfies readonly (keyof IntentFilter)[]

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

/** The filter's conditions on a row aliased `intent`, except for `statuses`, `refunds` and `not`. */
export function filterConditions(filter: IntentFilter): RawBuilder<unknown>[] {
  const column = (name: Column) => `intent.${toColumnName(name)}`
  return [
    ...EQUAL.flatMap((name) => equals(column(name), filter[name])),
    ...RANGES.flatMap((name) => within(column(name), filter[name])),
  ]
}

/** A filter that passes what both pass; null if nothing can. */
export function intersectFilters(one: IntentFilter, other: IntentFilter): IntentFilter | null {
  const both: Record<string, unknown> = { ...one }
  for (const name of EQUAL) {
    if (other[name] === undefined) continue
    if (one[name] !== undefined && one[name] !== other[name]) return null
    both[name] = other[name]
  }
  for (const name of RANGES) {
    const range = overlap<number | bigint>(one[name], other[name])
    if (range) both[name] = range
  }
  for (const name of LISTS) {
    const requested: readonly string[] | undefined = other[name]
    if (requested) both[name] = one[name]?.filter((value) => requested.includes(value)) ?? requested
  }
  if (other.not) both.not = [...(one.not ?? []), ...other.not]
  return both as IntentFilter
}

function overlap<Value extends number | bigint>(
  one: Range<Value> | undefined,
  other: Range<Value> | undefined,
): Range<Value> | undefined {
  if (!one || !other) return one ?? other
  return { from: tighter(one.from, other.from, true), to: tighter(one.to, other.to, false) }
}

function tighter<Value extends number | bigint>(
  one: Value | undefined,
  other: Value | undefined,
  larger: boolean,
): Value | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one > other === larger ? one : other
}
