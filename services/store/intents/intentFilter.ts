import type { RawBuilder } from 'kysely'
import type { RefundStatus } from '../../../core/intent/refundSql.ts'
import type { Status } from '../../../core/intent/status.ts'
import { columnName } from '../../../core/rows/columnName.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { SourceFacts } from '../../../src/intent/facts.ts'
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
const WORDS = ['statuses', 'refunds'] as const satisfies readonly (keyof IntentFilter)[]

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
  const column = (name: Column) => `intent.${columnName(name)}`
  return [
    ...EQUAL.flatMap((name) => equals(column(name), filter[name])),
    ...RANGES.flatMap((name) => within(column(name), filter[name])),
  ]
}

/** What passes both filters; null where nothing can. */
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
  for (const name of WORDS) {
    const requested: readonly string[] | undefined = other[name]
    if (requested) both[name] = one[name]?.filter((word) => requested.includes(word)) ?? requested
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
