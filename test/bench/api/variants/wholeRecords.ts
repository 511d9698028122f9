import type * as replaced from '../../../../api/rest/intents/listIntentRecords.ts'
import { renderIntentCached } from '../../../../api/rest/intents/renderedIntentCache.ts'
import { bridgeOf } from '../../../../api/rest/readContext.ts'
import { listIntents } from '../../../../services/store/intents/listIntents.ts'

/** One statement reads everything each time. */
export const listIntentRecords: typeof replaced.listIntentRecords = async (reads, now, page) => {
  const found = await listIntents(reads.db, { ...page, withEvents: true })
  const answers = found.map((stored) =>
    renderIntentCached(stored, now.heads, bridgeOf(now, stored)),
  )
  return { found, answers }
}
