import { type RawBuilder, sql } from 'kysely'
import type { Cutoffs } from '../../../core/intent/asOfCutoff.ts'
import type { EventRow } from '../../../src/projection/rows.ts'
import { ASKED_ONCE, withinSql } from '../asOf/cutoffSql.ts'
import { selectList } from '../database/columns.ts'
import type { Db } from '../database/database.ts'
import { requestedIntents } from '../intents/requestedIntents.ts'
import type { IntentKey } from '../intents/storedIntent.ts'
import type { EventPlace } from './listEvents.ts'

type IntentEventPage = {
  /** Only events after this place in time. */
  after?: EventPlace | undefined
  /** Events of one intent at most. */
  limit: number
  /** Only what counts at these cutoffs. */
  within?: Cutoffs | undefined
}

/** The events about each of the intents on all chains, by time; intents in no particular order. */
export async function loadEvents(
  db: Db,
  keys: readonly IntentKey[],
  page: IntentEventPage,
): Promise<EventRow[]> {
  if (keys.length === 0) return []
  const { rows } = await loadEventsQuery(keys, page).execute(db)
  return rows
}

const EVENT_PLACE = { chain: 'e.chain_id', block: 'e.block_number', time: 'e.block_timestamp' }

/** The statement of `loadEvents`. */
function loadEventsQuery(
  keys: readonly IntentKey[],
  { after, limit, within }: IntentEventPage,
): RawBuilder<EventRow> {
  const beyond = after
    ? sql`and (e.block_timestamp, e.chain_id, e.block_number, e.log_index)
        > (${after.blockTimestamp}::bigint, ${after.chainId}::bigint, ${after.blockNumber}::bigint, ${after.logIndex}::integer)`
    : sql``
  return sql<EventRow>`${sql.raw(within ? ASKED_ONCE : '')}select event.* from ${requestedIntents(keys)} cross join lateral (
    select ${sql.raw(selectList('event', 'e'))} from cairn.event e
    where e.source_chain_id = requested.chain and e.intent_id = requested.id ${beyond}
      ${within ? sql`and ${sql.raw(withinSql(EVENT_PLACE, within))}` : sql``}
    order by e.block_timestamp, e.chain_id, e.block_number, e.log_index limit ${limit}) as event
    order by event."blockTimestamp", event."chainId", event."blockNumber", event."logIndex"`
}
