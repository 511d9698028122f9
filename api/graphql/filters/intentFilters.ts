import type { Status } from '../../../core/intent/status.ts'
import { STATUS_BRANCHES } from '../../../core/intent/statusBranches.ts'
import type { IntentFilter } from '../../../services/store/intents/intentFilter.ts'
import { intersectFilters } from '../../../services/store/intents/intersectFilters.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { TokenBook } from '../../http/tokens/tokenBook.ts'
import { queryError } from '../errors/queryError.ts'
import { LIMITS } from '../limits/limits.ts'
import { type Comparison, rangeOf } from './rangeOf.ts'

/** One value or any of several, as GraphQL hands it over; null is as good as absent. */
export type Choice<Value> = { eq?: Value | null; in?: readonly Value[] | null }

/** One token or any of several, by address or by symbol. */
export type TokenChoice = Choice<Hex> & { symbol?: string | null }

/** The input type `IntentFilter`, its scalars parsed. */
export type IntentWhere = {
  status?: Choice<Status> | null
  sourceChainId?: Choice<number> | null
  destChainId?: Choice<number> | null
  sender?: Choice<Hex> | null
  solver?: Choice<Hex> | null
  bestBidder?: Choice<Hex> | null
  tokenA?: TokenChoice | null
  tokenB?: TokenChoice | null
  feeBps?: Choice<number> | null
  amountA?: Comparison<bigint> | null
  expectedAmountB?: Comparison<bigint> | null
  reward?: Comparison<bigint> | null
  fee?: Comparison<bigint> | null
  createdAt?: Comparison<number> | null
  updatedAt?: Comparison<number> | null
  endTime?: Comparison<number> | null
  settledAt?: Comparison<number> | null
  /** Any of these, beside what else is said. */
  or?: readonly IntentWhere[] | null
  not?: IntentWhere | null
}

const CHOSEN = [
  'sourceChainId',
  'destChainId',
  'sender',
  'solver',
  'bestBidder',
  'tokenA',
  'tokenB',
  'feeBps',
] as const satisfies readonly (keyof IntentWhere & keyof IntentFilter)[]

/**
 * What `where` selects, as filters that no intent passes two of: one for each combination of the
 * values of its `in` lists, so that each walks an index of its own.
 * Throws BAD_USER_INPUT when that makes too many.
 */
export function intentFilters(where: IntentWhere | null | undefined): IntentFilter[] {
  const filters = alternatives(where ?? {}, 0)
  const ways = filters.reduce((sum, { statuses }) => sum + waysOf(statuses), 0)
  const exclusions = filters.reduce((sum, filter) => sum + exclusionsOf(filter), 0)
  if (ways > LIMITS.filterBranches) throw tooManyCombinations()
  if (exclusions > LIMITS.filterExclusions)
    throw queryError(
      'BAD_USER_INPUT',
      `the filter leaves out more than ${LIMITS.filterExclusions} things: use fewer alternatives, and shorter in lists in them`,
    )
  return filters
}

/** Of several alternatives each leaves out what the earlier ones take: no intent passes two. */
function alternatives(where: IntentWhere, depth: number): IntentFilter[] {
  requireShallow(depth)
  const excluded = where.not ? alternatives(where.not, depth + 1) : []
  const filters = combinations(where).map((filter) => without(filter, excluded))
  if (where.or == null) return filters
  if (where.or.length > LIMITS.filterAlternatives)
    throw queryError('BAD_USER_INPUT', `or takes at most ${LIMITS.filterAlternatives} filters`)
  const earlier: IntentFilter[] = []
  const wanted = where.or.flatMap((one) => {
    const own = alternatives(one, depth + 1)
    const disjoint = own.map((filter) => without(filter, earlier))
    earlier.push(...own)
    if (earlier.length > LIMITS.filterBranches) throw tooManyCombinations()
    return disjoint
  })
  return filters.flatMap((filter) => wanted.flatMap((one) => intersectFilters(filter, one) ?? []))
}

function without(filter: IntentFilter, excluded: readonly IntentFilter[]): IntentFilter {
  return excluded.length === 0 ? filter : { ...filter, not: [...(filter.not ?? []), ...excluded] }
}

/** Conditions in what a filter leaves out, all levels together. */
function exclusionsOf({ not = [] }: IntentFilter): number {
  return not.reduce((sum, one) => sum + waysOf(one.statuses) + exclusionsOf(one), 0)
}

function waysOf(statuses: readonly Status[] | undefined): number {
  return statuses?.reduce((sum, word) => sum + STATUS_BRANCHES[word].length, 0) ?? 1
}

function tooManyCombinations(): Error {
  return queryError(
    'BAD_USER_INPUT',
    `the filter has more than ${LIMITS.filterBranches} combinations: use shorter in lists`,
  )
}

/** One filter for each combination of the values of `in` lists. */
function combinations(where: IntentWhere): IntentFilter[] {
  const statuses = valuesOf('status', where.status)
  let filters: IntentFilter[] = [{ ...ranges(where), statuses }]
  const ways = waysOf(statuses)
  for (const name of CHOSEN) {
    const values = valuesOf<unknown>(name, where[name])
    if (!values) continue
    if (filters.length * values.length * ways > LIMITS.filterBranches) throw tooManyCombinations()
    filters = filters.flatMap((filter) => values.map((value) => ({ ...filter, [name]: value })))
  }
  return filters
}

/** The same filter with addresses in place of symbols. */
export async function withoutSymbols(
  where: IntentWhere | null | undefined,
  book: Pick<TokenBook, 'addressesOf'>,
  depth = 0,
): Promise<IntentWhere | null | undefined> {
  if (where == null) return where
  requireShallow(depth)
  const inner = (one: IntentWhere | null | undefined) => withoutSymbols(one, book, depth + 1)
  const [tokenA, tokenB, not, or] = await Promise.all([
    withoutSymbol(where.tokenA, book),
    withoutSymbol(where.tokenB, book),
    inner(where.not),
    where.or && Promise.all(where.or.slice(0, LIMITS.filterAlternatives + 1).map(inner)),
  ])
  const alternatives = or?.map((one) => one ?? {}) ?? null
  return {
    ...where,
    tokenA: tokenA ?? null,
    tokenB: tokenB ?? null,
    not: not ?? null,
    or: alternatives,
  }
}

async function withoutSymbol(
  choice: TokenChoice | null | undefined,
  { addressesOf }: Pick<TokenBook, 'addressesOf'>,
): Promise<TokenChoice | null | undefined> {
  if (choice?.symbol == null) return choice
  const { symbol, ...rest } = choice
  const meant = (await addressesOf(symbol)).slice(0, LIMITS.filterValues)
  return { ...rest, in: rest.in ? meant.filter((one) => rest.in?.includes(one)) : meant }
}

function requireShallow(depth: number): void {
  if (depth > LIMITS.filterDepth)
    throw queryError('BAD_USER_INPUT', `or and not nest at most ${LIMITS.filterDepth} deep`)
}

/** The distinct values that a choice leaves; undefined when it leaves all. */
function valuesOf<Value>(
  name: string,
  choice: Choice<Value> | null | undefined,
): Value[] | undefined {
  const { eq, in: several } = choice ?? {}
  if (several && several.length > LIMITS.filterValues) {
    throw queryError('BAD_USER_INPUT', `${name}.in takes at most ${LIMITS.filterValues} values`)
  }
  if (several == null) return eq == null ? undefined : [eq]
  const distinct = [...new Set(several)]
  return eq == null ? distinct : distinct.filter((value) => value === eq)
}

function ranges(where: IntentWhere): IntentFilter {
  return {
    amountA: rangeOf(where.amountA),
    expectedAmountB: rangeOf(where.expectedAmountB),
    reward: rangeOf(where.reward),
    createdAt: rangeOf(where.createdAt),
    updatedAt: rangeOf(where.updatedAt),
    endTime: rangeOf(where.endTime),
    settledAt: rangeOf(where.settledAt),
    fee: rangeOf(where.fee),
  }
}
