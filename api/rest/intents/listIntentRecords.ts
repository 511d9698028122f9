import type { ChainsNow } from '../../../services/store/chains/chainStateCache.ts'
import { findAllCandidates } from '../../../services/store/intents/findIntent.ts'
import { type IntentPage, listIntents } from '../../../services/store/intents/listIntents.ts'
import {
  type IntentParts,
  type IntentText,
  listIntentsAsText,
} from '../../../services/store/intents/listIntentsAsText.ts'
import type { StoredIntent } from '../../../services/store/intents/storedIntent.ts'
import type { Rendered } from '../../http/conditionalResponse.ts'
import { bridgeOf, type ReadContext } from '../readContext.ts'
import { renderedIntent } from './renderedIntentCache.ts'

/** What the list's own statement reads of an intent: its place, and whether it has changed. */
const PLACE_ONLY: IntentParts = { columns: new Set(), facts: false, sequence: true }

/** A page of intents, and the answer about each of them. */
export async function listRecords(
  reads: ReadContext,
  now: ChainsNow,
  page: IntentPage,
): Promise<{ found: readonly StoredIntent[]; answers: readonly Rendered<string>[] }> {
  const found = (await listedFromMemory(reads, page)) ?? (await listWhole(reads, page))
  const answers = found.map((stored) => renderedIntent(stored, now.heads, bridgeOf(now, stored)))
  return { found, answers }
}

function listWhole({ db }: ReadContext, page: IntentPage): Promise<StoredIntent[]> {
  return listIntents(db, { ...page, withEvents: true })
}

/**
 * The listed intents, in the list's order. The list's own statement has read next to nothing of them:
 * the rest comes from memory, if the cached intent has the listed sequence. Null if nothing is kept at
 * present, or one changed between the list and the reading of what wasn't there: then one statement has
 * to read it all.
 */
async function listedFromMemory(
  reads: ReadContext,
  page: IntentPage,
): Promise<StoredIntent[] | null> {
  if (reads.cache.moment() === null) return null
  const listed = await listIntentsAsText(reads.db, page, PLACE_ONLY)
  const ids = listed.map(({ intentId }) => BigInt(intentId as string))
  const whole = await wholeIntents(reads, ids)
  const found: StoredIntent[] = []
  for (const [index, one] of listed.entries()) {
    const same = whole.get(ids[index] as bigint)?.find((other) => isSame(one, other))
    if (!same) return null
    found.push(same)
  }
  return found
}

function isSame({ sourceChainId, sequence }: IntentText, other: StoredIntent): boolean {
  return Number(sourceChainId) === other.source.sourceChainId && sequence === other.sequence
}

/** Every intent with the listed ids, with its events. What isn't in memory is read in the client's own share. */
async function wholeIntents(
  { cache, db }: ReadContext,
  intentIds: readonly bigint[],
): Promise<ReadonlyMap<bigint, readonly StoredIntent[]>> {
  const found = new Map<bigint, readonly StoredIntent[]>()
  const missing: bigint[] = []
  for (const intentId of intentIds) {
    const kept = cache.kept(intentId)
    if (kept) found.set(intentId, kept)
    else missing.push(intentId)
  }
  if (missing.length === 0) return found
  const begun = cache.moment()
  const read = Map.groupBy(await findAllCandidates(db, missing), ({ source }) => source.intentId)
  cache.offer(read, begun)
  for (const [intentId, intents] of read) found.set(intentId, intents)
  return found
}
