import type { ChainsNow } from '../../../services/store/chains/chainStateCache.ts'
import { findAllCandidates } from '../../../services/store/intents/intentLookup.ts'
import {
  type IntentPage,
  listIntents,
  listIntentVersions,
} from '../../../services/store/intents/listIntents.ts'
import type { StoredIntent } from '../../../services/store/intents/storedIntent.ts'
import type { Rendered } from '../../http/conditionalResponse.ts'
import { bridgeOf, type ReadContext } from '../readContext.ts'
import { renderIntentCached } from './renderedIntentCache.ts'

/** A page of intents, and the answer about each. */
export async function listIntentRecords(
  reads: ReadContext,
  now: ChainsNow,
  page: IntentPage,
): Promise<{ found: readonly StoredIntent[]; answers: readonly Rendered<string>[] }> {
  const found = (await listFromMemory(reads, page)) ?? (await listFromDatabase(reads, page))
  const answers = found.map((stored) =>
    renderIntentCached(stored, now.heads, bridgeOf(now, stored)),
  )
  return { found, answers }
}

function listFromDatabase({ db }: ReadContext, page: IntentPage): Promise<StoredIntent[]> {
  return listIntents(db, { ...page, withEvents: true })
}

/**
 * The page, from a query that reads only keys and sequences, with the rest of each intent from the cache if it has
 * the same sequence. Null if nothing can be cached at the moment, or an intent changed between the two reads: then
 * one query has to read it all.
 */
async function listFromMemory(
  reads: ReadContext,
  page: IntentPage,
): Promise<StoredIntent[] | null> {
  if (reads.cache.revision() === null) return null
  const listed = await listIntentVersions(reads.db, page)
  const ids = listed.map(({ intentId }) => intentId)
  const whole = await wholeIntents(reads, ids)
  const found: StoredIntent[] = []
  for (const { intentId, sourceChainId, sequence } of listed) {
    const same = whole
      .get(intentId)
      ?.find((other) => other.source.sourceChainId === sourceChainId && other.sequence === sequence)
    if (!same) return null
    found.push(same)
  }
  return found
}

/** All intents with these ids, with their events. What isn't cached is read in the client's share of the database. */
async function wholeIntents(
  { cache, db }: ReadContext,
  intentIds: readonly bigint[],
): Promise<ReadonlyMap<bigint, readonly StoredIntent[]>> {
  const found = new Map<bigint, readonly StoredIntent[]>()
  const missing: bigint[] = []
  for (const intentId of intentIds) {
    const kept = cache.cached(intentId)
    if (kept) found.set(intentId, kept)
    else missing.push(intentId)
  }
  if (missing.length === 0) return found
  const startedAt = cache.revision()
  const read = Map.groupBy(await findAllCandidates(db, missing), ({ source }) => source.intentId)
  cache.add(read, startedAt)
  for (const [intentId, intents] of read) found.set(intentId, intents)
  return found
}
