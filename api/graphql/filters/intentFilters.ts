import type { Status } from '../../../core/intent/status.ts'
import { STATUS_BRANCHES } from '../../../core/intent/statusBranches.ts'
import type { IntentFilter } from '../../../services/store/intents/intentFilter.ts'
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
  createdAt?: Comparison<number> | null
  updatedAt?: Comparison<number> | null
  endTime?: Comparison<number> | null
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
  const statuses = valuesOf('status', where?.status)
  let filters: IntentFilter[] = [{ ...ranges(where ?? {}), statuses }]
  const ways = statuses?.reduce((sum, word) => sum + STATUS_BRANCHES[word].length, 0) ?? 1
  for (const name of CHOSEN) {
    const values = valuesOf<unknown>(name, where?.[name])
    if (!values) continue
    if (filters.length * values.length * ways > LIMITS.filterBranches) {
      throw queryError(
        'BAD_USER_INPUT',
        `the filter has more than ${LIMITS.filterBranches} combinations: use shorter in lists`,
      )
    }
    filters = filters.flatMap((filter) => values.map((value) => ({ ...filter, [name]: value })))
  }
  return filters
}

/** The same filter with addresses in place of symbols. */
export async function withoutSymbols(
  where: IntentWhere | null | undefined,
  { addressesOf }: Pick<TokenBook, 'addressesOf'>,
): Promise<IntentWhere | null | undefined> {
  if (where?.tokenA?.symbol == null && where?.tokenB?.symbol == null) return where
  const addresses = async (choice: TokenChoice | null | undefined) => {
    if (choice?.symbol == null) return choice
    const { symbol, ...rest } = choice
    const meant = (await addressesOf(symbol)).slice(0, LIMITS.filterValues)
    return { ...rest, in: rest.in ? meant.filter((one) => rest.in?.includes(one)) : meant }
  }
  const [tokenA, tokenB] = await Promise.all([addresses(where.tokenA), addresses(where.tokenB)])
  return { ...where, tokenA: tokenA ?? null, tokenB: tokenB ?? null }
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
  }
}
