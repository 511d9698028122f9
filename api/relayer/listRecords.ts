import { findAllCandidates } from '../../services/store/findIntent.ts'
import { type IntentPage, listIntents } from '../../services/store/listIntents.ts'
import type { ChainsNow } from '../../services/store/liveChains.ts'
import type { StoredIntent } from '../../services/store/storedIntent.ts'
import { bridgeOf, type RelayerReads } from './relayerReads.ts'
import { renderedIntent } from './renderedIntent.ts'
import { renderIntent } from './renderIntent.ts'

/** What stands before and after the record in the answer about one intent. */
const BEFORE = '{"success":true,"intent":'
const AFTER = '}'

/** A page of intents, and their records as JSON. */
export async function listRecords(
  reads: RelayerReads,
  now: ChainsNow,
  page: IntentPage,
): Promise<{ found: readonly StoredIntent[]; records: readonly string[] }> {
  const found = await listIntents(reads.db, page)
  const records = await recordTexts(reads, now, found)
  if (records) return { found, records }
  const whole = await listIntents(reads.db, { ...page, withEvents: true })
  const written = whole.map((stored) => renderIntent(stored, now.heads, bridgeOf(now, stored)))
  return { found: whole, records: written.map((record) => JSON.stringify(record)) }
}

/**
 * The records of listed intents as JSON, in the list's order. The list's own statement has read no
 * events: they, and the text, come from memory where the intent kept there is the very one that was
 * listed, by its sequence. Null if one changed between the two statements: then one has to read it all.
 */
async function recordTexts(
  reads: RelayerReads,
  now: ChainsNow,
  listed: readonly StoredIntent[],
): Promise<string[] | null> {
  const whole = await wholeIntents(reads, listed)
  const texts: string[] = []
  for (const one of listed) {
    const same = whole.get(one.source.intentId)?.find((other) => isSame(one, other))
    if (!same) return null
    const { body } = renderedIntent(same, now.heads, bridgeOf(now, same))
    texts.push(body.slice(BEFORE.length, -AFTER.length))
  }
  return texts
}

function isSame(one: StoredIntent, other: StoredIntent): boolean {
  return one.source.sourceChainId === other.source.sourceChainId && one.sequence === other.sequence
}

/** Every intent with the listed ids, with its events. What isn't in memory is read in the client's own share. */
async function wholeIntents(
  { cache, db }: RelayerReads,
  listed: readonly StoredIntent[],
): Promise<ReadonlyMap<bigint, readonly StoredIntent[]>> {
  const found = new Map<bigint, readonly StoredIntent[]>()
  const missing: bigint[] = []
  for (const { source } of listed) {
    const kept = cache.kept(source.intentId)
    if (kept) found.set(source.intentId, kept)
    else missing.push(source.intentId)
  }
  if (missing.length === 0) return found
  const begun = cache.moment()
  const read = Map.groupBy(await findAllCandidates(db, missing), ({ source }) => source.intentId)
  cache.offer(read, begun)
  for (const [intentId, intents] of read) found.set(intentId, intents)
  return found
}
