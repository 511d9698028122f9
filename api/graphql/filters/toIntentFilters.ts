import type { RefundStatus } from '../../../core/intent/refundSql.ts'
import type { Status } from '../../../core/intent/status.ts'
import {
  EQUAL,
  type IntentFilter,
  intersectFilters,
  RANGES,
} from '../../../services/store/intents/intentFilter.ts'
import { countBranches } from '../../../services/store/intents/splitIntentFilter.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { TokenLookup } from '../../http/tokens/tokenLookup.ts'
import { LIMITS } from '../limits/limits.ts'
import {
  distinctValues,
  requireShallow,
  toDisjointFilters,
  tooManyCombinations,
  type Where,
} from './toDisjointFilters.ts'
import { type Comparison, toRange } from './toRange.ts'

/** One value, or any of several. Null counts as absent. */
type Choice<Value> = { eq?: Value | null; in?: readonly Value[] | null }

/** One token, or any of several, by address or symbol. */
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

/** The disjoint filters of `where`. Throws BAD_USER_INPUT if there would be too many. */
export function toIntentFilters(where: IntentWhere | null | undefined): IntentFilter[] {
  return toDisjointFilters(where, {
    flat: combinations,
    intersect: intersectFilters,
    branches: countBranches,
  })
}

/** One filter for each combination of the values of `in` lists. */
function combinations(where: OwnWhere): IntentFilter[] {
  const statuses = valuesOf('status', where.status)
  const refunds = valuesOf('refundStatus', where.refundStatus)
  const ranges = RANGES.map((name) => [name, toRange<number | bigint>(where[name])])
  let filters: IntentFilter[] = [{ ...Object.fromEntries(ranges), statuses, refunds }]
  const branches = countBranches({ statuses, refunds })
  for (const name of EQUAL) {
    const values = valuesOf<unknown>(name, where[name])
    if (!values) continue
    if (filters.length * values.length * branches > LIMITS.filterBranches)
      throw tooManyCombinations()
    filters = filters.flatMap((filter) => values.map((value) => ({ ...filter, [name]: value })))
  }
  return filters
}

/** Replaces tokens' symbols in a filter by their addresses. */
export async function resolveSymbols(
  where: IntentWhere | null | undefined,
  book: Pick<TokenLookup, 'addressesOf'>,
  depth = 0,
): Promise<IntentWhere | null | undefined> {
  if (where == null) return where
  requireShallow(depth)
  const inner = (one: IntentWhere | null | undefined) => resolveSymbols(one, book, depth + 1)
  const [tokenA, tokenB, not, or] = await Promise.all([
    resolveSymbol(where.tokenA, book),
    resolveSymbol(where.tokenB, book),
    inner(where.not),
    where.or && Promise.all(where.or.slice(0, LIMITS.filterAlternatives + 1).map(inner)),
  ])
  return {
    ...where,
    tokenA: tokenA ?? null,
    tokenB: tokenB ?? null,
    not: not ?? null,
    or: or?.map((one) => one ?? {}) ?? null,
  }
}

async function resolveSymbol(
  choice: TokenChoice | null | undefined,
  { addressesOf }: Pick<TokenLookup, 'addressesOf'>,
): Promise<TokenChoice | null | undefined> {
  if (choice?.symbol == null) return choice
  const { symbol, ...rest } = choice
  const addresses = (await addressesOf(symbol)).slice(0, LIMITS.filterValues)
  return { ...rest, in: rest.in ? addresses.filter((one) => rest.in?.includes(one)) : addresses }
}

/** The distinct values that a choice allows; undefined if it allows all. */
function valuesOf<Value>(
  name: string,
  choice: Choice<Value> | null | undefined,
): Value[] | undefined {
  const { eq } = choice ?? {}
  const listed = distinctValues(`${name}.in`, choice?.in)
  if (listed === undefined) return eq == null ? undefined : [eq]
  return eq == null ? listed : listed.filter((value) => value === eq)
}
