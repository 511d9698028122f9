import type { Filter } from '../../../services/store/database/filterSql.ts'
import type { Range } from '../../../services/store/intents/intentFilter.ts'
import { distinctValues, toDisjointFilters, type Where } from './toDisjointFilters.ts'
import { type Comparison, toRange } from './toRange.ts'

/** An input type with the fields of a filter of the store, and comparisons in place of ranges. */
export type PlainWhere<Own> = Where<{
  [Name in keyof Own]?: InputValue<NonNullable<Own[Name]>> | null | undefined
}>
type InputValue<Value> =
  Value extends Range<infer Bound> ? Comparison<Bound & (number | bigint)> : Value

/**
 * The disjoint filters of `where`. Null counts as absent.
 *
 * @param toOwn converts fields that the store has in another unit
 */
export function toStoreFilters<Own extends object>(
  where: PlainWhere<Own> | null | undefined,
  toOwn: (own: Own) => Own = (own) => own,
): Filter<Own>[] {
  return toDisjointFilters<object, Filter<Own>>(where, {
    flat: ({ or: _, not: __, ...own }: Where<object>) => [toOwn(toStoreFilter(own) as Own)],
  })
}

/** A filter's own fields as the store takes them. */
export function toStoreFilter(own: object): object {
  const present = Object.entries(own).filter(([, value]) => value != null)
  return Object.fromEntries(present.map(([name, value]) => [name, toStoreValue(name, value)]))
}

function toStoreValue(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return distinctValues(name, value)
  return typeof value === 'object' ? toRange(value as Comparison<number>) : value
}
