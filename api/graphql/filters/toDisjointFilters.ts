import { queryError } from '../errors/queryError.ts'
import { LIMITS } from '../limits/limits.ts'

/** A filter from GraphQL: its own conditions and nested filters. */
export type Where<Own> = Own & {
  /** At least one must match too. */
  or?: readonly Where<Own>[] | null
  /** Must not match. */
  not?: Where<Own> | null
}

/** How to combine the filters of a list. `Flat` is a filter without alternatives. */
type FilterKind<Own, Flat> = {
  /** A filter's own conditions, as disjoint filters. */
  flat(own: Own): Flat[]
  /** The intersection of two filters; null if it is empty. Default: a conjunction in SQL. */
  intersect?(one: Flat, other: Flat): Flat | null
  /** The number of a filter's branches in SQL. Default: 1. */
  branches?(filter: Flat): number
}

type Flatter<Flat> = {
  and?: readonly Flat[] | undefined
  not?: readonly Flat[] | undefined
}

/**
 * Turns a filter into disjoint filters, each of which can walk its own index. Throws BAD_USER_INPUT if there would
 * be too many.
 */
export function toDisjointFilters<Own, Flat extends Flatter<Flat>>(
  where: Where<Own> | null | undefined,
  kind: FilterKind<Own, Flat>,
): Flat[] {
  const branchesOf = kind.branches ?? (() => 1)
  const filters = flatten(where ?? ({} as Where<Own>), kind, 0)
  const branches = filters.reduce((sum, filter) => sum + branchesOf(filter), 0)
  const exclusions = filters.reduce((sum, filter) => sum + exclusionsOf(filter, branchesOf), 0)
  if (branches > LIMITS.filterBranches) throw tooManyCombinations()
  if (exclusions > LIMITS.filterExclusions)
    throw queryError(
      'BAD_USER_INPUT',
      `the filter has more than ${LIMITS.filterExclusions} exclusions: use fewer alternatives or shorter in lists`,
    )
  return filters
}

/** Each alternative excludes what earlier ones match, which makes them disjoint. */
function flatten<Own, Flat extends Flatter<Flat>>(
  where: Where<Own>,
  kind: FilterKind<Own, Flat>,
  depth: number,
): Flat[] {
  requireShallow(depth)
  const excluded = where.not ? flatten(where.not, kind, depth + 1) : []
  const filters = kind.flat(where).map((filter) => without(filter, excluded))
  if (where.or == null) return filters
  if (where.or.length > LIMITS.filterAlternatives)
    throw queryError('BAD_USER_INPUT', `or takes at most ${LIMITS.filterAlternatives} filters`)
  const intersect = kind.intersect ?? conjunction
  const earlier: Flat[] = []
  const alternatives = where.or.flatMap((one) => {
    const own = flatten(one, kind, depth + 1)
    const disjoint = own.map((filter) => without(filter, earlier))
    earlier.push(...own)
    if (earlier.length > LIMITS.filterBranches) throw tooManyCombinations()
    return disjoint
  })
  return filters.flatMap((filter) => alternatives.flatMap((one) => intersect(filter, one) ?? []))
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

/** Counts the branches of everything that a filter excludes, on all levels. */
function exclusionsOf<Flat extends Flatter<Flat>>(
  { and = [], not = [] }: Flat,
  branchesOf: (filter: Flat) => number,
): number {
  const nested = and.reduce((sum, one) => sum + exclusionsOf(one, branchesOf), 0)
  return not.reduce((sum, one) => sum + branchesOf(one) + exclusionsOf(one, branchesOf), nested)
}

/** The distinct values of an `in` list; undefined without one. Throws BAD_USER_INPUT for too many. */
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
