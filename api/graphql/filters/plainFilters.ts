import type { Filter } from '../../../services/store/database/filterSql.ts'
import { alternatives, both, type Where } from './disjointFilters.ts'
import { distinctValues } from './distinctValues.ts'

/** What is left of a filter's fields without those that are null: null counts as absent. */
type Given<Own> = { [Name in keyof Own]?: Exclude<Own[Name], null | undefined> }

/**
 * What `where` selects of a list whose filters are nearly the store's, as disjoint filters.
 */
export function plainFilters<Own extends object, Flat extends object>(
  where: Where<Own> | null | undefined,
  toFilter: (own: Given<Own>) => Flat,
): Filter<Flat>[] {
  return alternatives<Own, Filter<Flat>>(where, {
    flat: (own) => [toFilter(given(own)) as Filter<Flat>],
    both: (one, other) => both<Filter<Flat>>(one, other),
  })
}

function given<Own extends object>(own: Own): Given<Own> {
  const entries = Object.entries(own)
    .filter(([name, value]) => value != null && name !== 'or' && name !== 'not')
    .map(([name, value]) => [name, Array.isArray(value) ? distinctValues(name, value) : value])
  return Object.fromEntries(entries) as Given<Own>
}
