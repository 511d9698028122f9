import { queryError } from '../errors/queryError.ts'
import { LIMITS } from '../limits/limits.ts'

/** A filter from GraphQL: its own conditions, and nested filters. */
export type Where<Own> = Own & {
  /** Any of these, in addition to the rest. */
  or?: readonly Where<Own>[] | null
  not?: Where<Own> | null
}

/** How filters of a list are put together. `Flat` is a filter without alternatives. */
type FilterKind<Own, Flat> = {
  /** A filter's own conditions, as disjoint filters. */
  flat(own: Own): Flat[]
  /** The intersection of both; null where it is empty. Default: a conjunction in SQL. */
  both?(one: Flat, other: Flat): Flat | null
  /** How many alternatives the filter has in SQL. Default: one. */
  ways?(filter: Flat): number
}

type Flatter<Flat> = {
  and?: readonly Flat[] | undefined
  not?: readonly Flat[] | undefined
}

/**
 * What `where` selects, as disjoint filters, so that each can walk its own index. Throws BAD_USER_INPUT
 * when there are too many.
 */
export function disjointFilters<Own, Flat extends Flatter<Flat>>(
  where: Where<Own> | null | undefined,
  kind: FilterKind<Own, Flat>,
): Flat[] {
  const waysOf = kind.ways ?? (() => 1)
  const filters = flattened(where ?? ({} as Where<Own>), kind, 0)
  const ways = filters.reduce((sum, filter) => sum + waysOf(filter), 0)
  const exclusions = filters.reduce((sum, filter) => sum + exclusionsOf(filter, waysOf), 0)
  if (ways > LIMITS.filterBranches) throw tooManyCombinations()
  if (exclusions > LIMITS.filterExclusions)
    throw queryError(
      'BAD_USER_INPUT',
      `the filter leaves out more than ${LIMITS.filterExclusions} things: use fewer alternatives, and shorter in lists in them`,
    )
  return filters
}

/** Each alternative excludes what the earlier ones match, so that they are disjoint. */
function flattened<Own, Flat extends Flatter<Flat>>(
  where: Where<Own>,
  kind: FilterKind<Own, Flat>,
  depth: number,
): Flat[] {
  requireShallow(depth)
  const excluded = where.not ? flattened(where.not, kind, depth + 1) : []
  const filters = kind.flat(where).map((filter) => without(filter, excluded))
  if (where.or == null) return filters
  if (where.or.length > LIMITS.filterAlternatives)
    throw queryError('BAD_USER_INPUT', `or takes at most ${LIMITS.filterAlternatives} filters`)
  const both = kind.both ?? conjunction
  const earlier: Flat[] = []
  const requested = where.or.flatMap((one) => {
    const own = flattened(one, kind, depth + 1)
    const disjoint = own.map((filter) => without(filter, earlier))
    earlier.push(...own)
    if (earlier.length > LIMITS.filterBranches) throw tooManyCombinations()
    return disjoint
  })
  return filters.flatMap((filter) => requested.flatMap((one) => both(filter, one) ?? []))
}

function conjunction<Flat extends Flatter<Flat>>(one: Flat, other: Flat): Flat {
  return { ...one, and: [...(one.and ?? []), other] }
}

/** Throws BAD_USER_INPUT for filters that are nested too deep. */
export function requireShallow(depth: number): void {
  if (depth > LIMITS.filterDepth)
    throw queryError('BAD_USER_INPUT', `or and not nest at most ${LIMITS.filterDepth} deep`)
}

export function tooManyCombinations(): Error {
  return queryError(
    'BAD_USER_INPUT',
    `the filter has more than ${LIMITS.filterBranches} combinations: use shorter in lists`,
  )
}

function without<Flat extends Flatter<Flat>>(filter: Flat, excluded: readonly Flat[]): Flat {
  return excluded.length === 0 ? filter : { ...filter, not: [...(filter.not ?? []), ...excluded] }
}

/** Conditions in what a filter leaves out, all levels together. */
function exclusionsOf<Flat extends Flatter<Flat>>(
  { and = [], not = [] }: Flat,
  waysOf: (filter: Flat) => number,
): number {
  const inside = and.reduce((sum, one) => sum + exclusionsOf(one, waysOf), 0)
  return not.reduce((sum, one) => sum + waysOf(one) + exclusionsOf(one, waysOf), inside)
}

/** The distinct values of an `in` list; undefined when it isn't given. Throws BAD_USER_INPUT for too many. */
export function distinctValues<Value>(
  name: string,
  values: readonly Value[] | null | undefined,
): Value[] | undefined {
  if (values == null) return undefined
  if (values.length > LIMITS.filterValues) {
    throw queryError('BAD_USER_INPUT', `${name} takes at most ${LIMITS.filterValues} values`)
  }
  return [...new Set(values)]
}
