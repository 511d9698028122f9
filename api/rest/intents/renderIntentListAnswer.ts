import { countUpTo } from '../../../services/store/intents/countIntents.ts'
import {
  type IntentSortOrder,
  intentCursor,
  intentPlace,
} from '../../../services/store/intents/intentSortOrder.ts'
import { settledOnly } from '../../../services/store/intents/listIntents.ts'
import { concatenateAsUtf8 } from '../../http/concatenateAsUtf8.ts'
import { entityTag, type Rendered } from '../../http/conditionalResponse.ts'
import { chainsToRead, notIndexedYet, type ReadContext, requireReady } from '../readContext.ts'
import { filtersOf, type IntentListQuery } from './intentListQuery.ts'
import { listIntentRecords } from './listIntentRecords.ts'

/** The JSON around the record in the answer about one intent. */
const BEFORE = '{"success":true,"intent":'
const AFTER = '}'

/** A page of intents in their current state. Throws CursorError and INDEX_NOT_READY. */
export async function renderIntentListAnswer(
  reads: ReadContext,
  given: IntentListQuery,
): Promise<Rendered<Buffer<ArrayBuffer>>> {
  const order: IntentSortOrder = { by: given.orderBy, direction: given.direction }
  const after = given.cursor === undefined ? undefined : intentPlace(given.cursor, order)
  const now = await chainsToRead(reads)
  if (given.sourceChainId !== undefined) requireReady(reads, now, given.sourceChainId)
  const filter = await filtersOf(reads, given)
  const { heads } = now
  const options = { filter, order, after, limit: given.limit + 1, heads }
  const [{ found, answers }, total] = await Promise.all([
    listIntentRecords(reads, now, options),
    given.total === 'true' ? countUpTo(reads.db, settledOnly(filter, order), heads) : null,
  ])
  const last = found.length > given.limit ? found[given.limit - 1] : undefined
  const rest = {
    nextCursor: last ? intentCursor(last.source, order) : null,
    ...(total && { total: total.count }),
    ...(total?.isExact === false && { totalIsExact: false }),
    ...notIndexedYet(reads, now),
  }
  const shown = answers.slice(0, given.limit)
  const records = shown.flatMap(({ body }, n) => {
    const record = body.slice(BEFORE.length, -AFTER.length)
    return n === 0 ? record : [',', record]
  })
  const end = `],${JSON.stringify(rest).slice(1)}`
  const body = concatenateAsUtf8(['{"success":true,"intents":[', ...records, end])
  // Made from the records' tags, which are cached: hashing the whole page takes a tenth of the request's time.
  const etag = entityTag([...shown.map(({ etag }) => etag), end].join())
  return { body, bytes: body.length, etag }
}
