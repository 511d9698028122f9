import type { Filter } from '../../../services/store/database/filterSql.ts'
import type { EventFilter } from '../../../services/store/events/listEvents.ts'
import type { IntentCache } from '../../../services/store/intents/intentCache.ts'
import { chooseIntent } from '../../../services/store/intents/intentLookup.ts'
import type { IntentKey } from '../../../services/store/intents/storedIntent.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { ChainEventType } from '../../../src/event/chainEvent.ts'
import { queryError } from '../errors/queryError.ts'
import { LIMITS } from '../limits/limits.ts'
import {
  distinctValues,
  requireShallow,
  toDisjointFilters,
  tooManyCombinations,
  type Where,
} from './toDisjointFilters.ts'
import { type Comparison, toRange } from './toRange.ts'

type OwnWhere = {
  type?: ChainEventType | null
  typeIn?: readonly ChainEventType[] | null
  sender?: Hex | null
  senderIn?: readonly Hex[] | null
  chainId?: number | null
  chainIdIn?: readonly number[] | null
  blockNumber?: number | null
  intentId?: bigint | null
  intentIdIn?: readonly bigint[] | null
  sourceChainId?: number | null
  transactionHash?: Hex | null
  transactionHashIn?: readonly Hex[] | null
  blockTimestamp?: Comparison<number> | null
}

/** The input type `EventFilter`, its scalars parsed. */
export type EventWhere = Where<OwnWhere>

type KeyOf = (intentId: bigint, sourceChainId: number | null | undefined) => IntentKey | null

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
    chooseIntent([...(candidates.get(id) ?? [])], chain ?? undefined)?.source ?? null
  return toDisjointFilters<OwnWhere, Filter<EventFilter>>(where, {
    flat: (own) => flatFilters(own, keyOf),
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
function flatFilters(where: OwnWhere, keyOf: KeyOf): EventFilter[] {
  const { intentId, sourceChainId } = where
  const listed = distinctValues('intentIdIn', where.intentIdIn)
  if (sourceChainId != null && intentId == null && listed === undefined) {
    throw queryError('BAD_USER_INPUT', 'sourceChainId needs intentId')
  }
  if (where.blockNumber != null && where.chainId == null) {
    throw queryError('BAD_USER_INPUT', 'blockNumber needs chainId')
  }
  const filter: EventFilter = {
    sender: where.sender ?? undefined,
    senders: distinctValues('senderIn', where.senderIn),
    type: where.type ?? undefined,
    types: distinctValues('typeIn', where.typeIn),
    chainId: where.chainId ?? undefined,
    chainIds: distinctValues('chainIdIn', where.chainIdIn),
    blockNumber: where.blockNumber ?? undefined,
    transactionHash: where.transactionHash ?? undefined,
    transactionHashes: distinctValues('transactionHashIn', where.transactionHashIn),
    blockTimestamp: toRange(where.blockTimestamp),
  }
  if (intentId == null && listed === undefined) return [filter]
  const ids = listed?.filter((id) => intentId == null || id === intentId) ?? [intentId as bigint]
  return ids.flatMap((id) => {
    const intent = keyOf(id, sourceChainId)
    return intent ? [{ ...filter, intent }] : []
  })
}
