import { sql } from 'kysely'
import type { Db } from '../../../services/store/database/openDatabase.ts'
import {
  type EventKey,
  loadEventRows,
  loadOrphans,
  placeName,
} from '../../../services/store/events/loadEvents.ts'
import { type IntentKey, intentName } from '../../../services/store/intents/storedIntent.ts'
import type { EventRow } from '../../../src/projection/rowTypes.ts'

/** The event behind a change. `isRemoved`: the change is that a reorg removed the event. */
type EventBehind = { event: EventRow; isRemoved: boolean }

type LastChange = IntentKey & EventKey & { operation: 'insert' | 'update' | 'delete' }

/**
 * The event of each intent that was written or removed last. An intent's rows change in the same transaction as the
 * event behind the change, so a subscriber to the change finds its event.
 */
export async function findLatestIntentEvents(
  db: Db,
  keys: readonly IntentKey[],
): Promise<ReadonlyMap<string, EventBehind>> {
  if (keys.length === 0) return new Map()
  const changes = await lastChanges(db, keys)
  const written = changes.filter(({ operation }) => operation !== 'delete')
  const removed = changes
    .filter(({ operation }) => operation === 'delete')
    .map((key) => ({ ...key, nth: 1 }))
  const rows = [...(await loadEventRows(db, written)), ...(await loadOrphans(db, removed))]
  const byPlace = new Map(rows.map((row) => [placeName(row), row]))
  return new Map(
    changes.flatMap((change) => {
      const event = byPlace.get(placeName(change))
      return event
        ? [[intentName(change), { event, isRemoved: change.operation === 'delete' }]]
        : []
    }),
  )
}

async function lastChanges(db: Db, keys: readonly IntentKey[]): Promise<LastChange[]> {
  const chains = keys.map(({ sourceChainId }) => sourceChainId)
  const ids = keys.map(({ intentId }) => String(intentId))
  const { rows } = await sql<LastChange>`
    select requested.chain as "sourceChainId", requested.id as "intentId", last.chain_id as "chainId",
      last.block_number as "blockNumber", last.log_index as "logIndex", last.operation
    from unnest(${chains}::bigint[], ${ids}::numeric[]) as requested (chain, id)
    cross join lateral (
      select log.chain_id, log.block_number, log.log_index, log.operation from app.change_log log
      where log.source_chain_id = requested.chain and log.intent_id = requested.id
        and log.table_name = 'event' and log.chain_id is not null
      order by log.sequence desc limit 1) as last`.execute(db)
  return rows
}
