import { renderIntentCached } from '../../../../api/rest/intents/renderedIntentCache.ts'
import { bridgeOf, type ReadContext } from '../../../../api/rest/readContext.ts'
import type { ChainsNow } from '../../../../services/store/chains/chainStateCache.ts'
import { type IntentPage, listIntents } from '../../../../services/store/intents/listIntents.ts'

/** One statement reads everything each time. */
export async function listRecords(reads: ReadContext, now: ChainsNow, page: IntentPage) {
  const found = await listIntents(reads.db, { ...page, withEvents: true })
  const answers = found.map((stored) =>
    renderIntentCached(stored, now.heads, bridgeOf(now, stored)),
  )
  return { found, answers }
}
