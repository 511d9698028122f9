import type { Filter } from '../../../services/store/database/filterSql.ts'
import type { EventFilter } from '../../../services/store/events/listEvents.ts'
import type { IntentCache } from '../../../services/store/intents/intentCache.ts'
import { chooseIntent } from '../../../services/store/intents/intentLookup.ts'
import type { IntentKey } from '../../../services/store/intents/storedIntent.ts'
import { queryError } from '../errors/queryError.ts'
import { LIMITS } from '../limits/limits.ts'
import {
  distinctValues,
  requireShallow,
  toDisjointFilters,
  tooManyCombinations,
  type Where,
} from './toDisjointFilters.ts'
import { type PlainWhere, toStoreFilter } from './toStoreFilters.ts'

type OwnFilter = Omit<EventFilter, 'intent'> & {
  intentId?: bigint
  intentIdIn?: readonly bigint[]
  sourceChainId?: number
}

/** The input type `EventFilter`, its scalars parsed. */
export type EventWhere = PlainWhere<OwnFilter>

type KeyOf = (intentId: bigint, sourceChainId: number | undefined) => IntentKey | null

/** The disjoint filters of `where`; none if its intents are unknown. */
export async function toEventFilters(
  where: EventWhere | null | undefined,
  intents: Pick<IntentCache, 'candidates'>,
): Promise<Filter<EventFilter>[]> {
  const ids = new Set(where ? intentIdsIn(where, 0) : [])
  if (ids.size > LIMITS.filterBranches) throw tooManyCombinations()
  const candidates = new Map(
    await Promise.all([...ids].map(async (id) => [id, await intents.candidates(id)] as const)),
  )
  const keyOf: KeyOf = (id, chain) =>
    chooseIntent([...(candidates.get(id) ?? [])], chain)?.source ?? null
  return toDisjointFilters<object, Filter<EventFilter>>(where, {
    flat: ({ or: _, not: __, ...own }: Where<object>) => flatFilters(toStoreFilter(own), keyOf),
  })
}

function intentIdsIn({ intentId, intentIdIn, or, not }: EventWhere, depth: number): bigint[] {
  requireShallow(depth)
  return [
    ...(intentId == null ? [] : [intentId]),
    ...(distinctValues('intentIdIn', intentIdIn) ?? []),
    ...(or ?? []).flatMap((one) => intentIdsIn(one, depth + 1)),
    ...(not ? intentIdsIn(not, depth + 1) : []),
  ]
}

/** One filter for each intent, because each has its own range of an index. */
function flatFilters(
  { intentId, intentIdIn, sourceChainId, ...filter }: OwnFilter,
  keyOf: KeyOf,
): EventFilter[] {
  const isOfAny = intentId === undefined && intentIdIn === undefined
  if (sourceChainId !== undefined && isOfAny) {
    throw queryError('BAD_USER_INPUT', 'sourceChainId needs intentId')
  }
  if (filter.blockNumber !== undefined && filter.chainId === undefined) {
    throw queryError('BAD_USER_INPUT', 'blockNumber needs chainId')
  }
  if (isOfAny) return [filter]
  const ids = intentIdIn?.filter((id) => intentId === undefined || id === intentId)
  return (ids ?? [intentId as bigint]).flatMap((id) => {
    const intent = keyOf(id, sourceChainId)
    return intent ? [{ ...filter, intent }] : []
  })
}
