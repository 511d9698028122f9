import type { Filter } from '../../../services/store/database/filterSql.ts'
import type { Range } from '../../../services/store/intents/intentFilter.ts'
import { disjointFilters, distinctValues, type Where } from './disjointFilters.ts'
import { type Comparison, rangeOf } from './rangeOf.ts'

/** An input type whose fields are those of a filter of the store, with comparisons for its ranges. */
export type PlainWhere<Own> = Where<{
  [Name in keyof Own]?: Given<NonNullable<Own[Name]>> | null | undefined
}>
type Given<Value> = Value extends Range<infer Bound> ? Comparison<Bound & (number | bigint)> : Value

/**
 * What `where` selects, as disjoint filters; null counts as absent.
 *
 * @param toOwn changes a filter's own fields, where the store has them in another unit
 */
export function plainFilters<Own extends object>(
  where: PlainWhere<Own> | null | undefined,
  toOwn: (own: Own) => Own = (own) => own,
): Filter<Own>[] {
  return disjointFilters<object, Filter<Own>>(where, {
    flat: ({ or: _, not: __, ...own }: Where<object>) => [toOwn(inStore(own) as Own)],
  })
}

function inStore(own: object): object {
  const given = Object.entries(own).filter(([, value]) => value != null)
  return Object.fromEntries(given.map(([name, value]) => [name, valueInStore(name, value)]))
}

function valueInStore(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return distinctValues(name, value)
  return typeof value === 'object' ? rangeOf(value as Comparison<number>) : value
}
