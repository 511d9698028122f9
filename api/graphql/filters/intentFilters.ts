import type { RefundStatus } from '../../../core/intent/refundSql.ts'
import type { Status } from '../../../core/intent/status.ts'
import { countWays } from '../../../services/store/intents/filterBranches.ts'
import {
  type IntentFilter,
  intersectFilters,
} from '../../../services/store/intents/intentFilter.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { TokenBook } from '../../http/tokens/tokenBook.ts'
import { queryError } from '../errors/queryError.ts'
import { LIMITS } from '../limits/limits.ts'
import { alternatives, requireShallow, tooManyCombinations, type Where } from './disjointFilters.ts'
import { type Comparison, rangeOf } from './rangeOf.ts'

/** One value or any of several, from GraphQL; null counts as absent. */
type Choice<Value> = { eq?: Value | null; in?: readonly Value[] | null }

/** One token or any of several, by address or by symbol. */
type TokenChoice = Choice<Hex> & { symbol?: string | null }

/** The input type `IntentFilter`, its scalars parsed. */
export type IntentWhere = Where<OwnWhere>

type OwnWhere = {
  status?: Choice<Status> | null
  refundStatus?: Choice<RefundStatus> | null
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
] as const satisfies readonly (keyof OwnWhere & keyof IntentFilter)[]

/**
 * What `where` selects, as disjoint filters: one for each combination of the values of its `in`
 * lists, so that each walks its own index. Throws BAD_USER_INPUT when there are too many.
 */
export function intentFilters(where: IntentWhere | null | undefined): IntentFilter[] {
  return alternatives(where, {
    flat: combinations,
    both: intersectFilters,
    ways: countWays,
  })
}

/** One filter for each combination of the values of `in` lists. */
function combinations(where: OwnWhere): IntentFilter[] {
  const statuses = valuesOf('status', where.status)
  const refunds = valuesOf('refundStatus', where.refundStatus)
  let filters: IntentFilter[] = [{ ...ranges(where), statuses, refunds }]
  const ways = countWays({ statuses, refunds })
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
  const requested = or?.map((one) => one ?? {}) ?? null
  return {
    ...where,
    tokenA: tokenA ?? null,
    tokenB: tokenB ?? null,
    not: not ?? null,
    or: requested,
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

/** The distinct values that a choice allows; undefined when it allows all. */
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

function ranges(where: OwnWhere): IntentFilter {
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
