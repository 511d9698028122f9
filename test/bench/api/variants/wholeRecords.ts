import { renderedIntent } from '../../../../api/rest/intents/renderedIntentCache.ts'
import { bridgeOf, type RelayerReads } from '../../../../api/rest/relayerReads.ts'
import type { ChainsNow } from '../../../../services/store/chains/chainStateCache.ts'
import { type IntentPage, listIntents } from '../../../../services/store/intents/listIntents.ts'

const BEFORE = '{"success":true,"intent":'

/** One statement reads everything each time. */
export async function listRecords(reads: RelayerReads, now: ChainsNow, page: IntentPage) {
  const found = await listIntents(reads.db, { ...page, withEvents: true })
  const records = found.map((stored) =>
    renderedIntent(stored, now.heads, bridgeOf(now, stored)).body.slice(BEFORE.length, -1),
  )
  return { found, records }
}
