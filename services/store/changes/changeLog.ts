import type { ClientBase } from 'pg'

/** A row that was written, or removed by a reorg. */
export type Change = {
  /** Grows with every change. */
  sequence: bigint
  /** The intent that it is about; both null for an event about no intent. */
  sourceChainId: number | null
  intentId: bigint | null
  table: 'event' | 'intent' | 'bid' | 'delivery'
  operation: 'insert' | 'update' | 'delete'
  /** Identifies the event if `table` is `event`; null in entries from before the log recorded it. */
  event: { chainId: number; blockNumber: number; logIndex: number } | null
}

/** Reads the newest sequence in the log; 0 if it is empty. */
export async function readNewestSequence(client: ClientBase): Promise<bigint> {
  const { rows } = await client.query(
    'select coalesce(max(sequence), 0)::numeric as newest from app.change_log',
  )
  return rows[0].newest
}

/** Reads up to `limit` changes after a sequence, oldest first. */
export async function readChangesAfter(
  client: ClientBase,
  after: bigint,
  limit: number,
): Promise<Change[]> {
  const { rows } = await client.query(
    `select sequence::numeric, source_chain_id as "sourceChainId", intent_id as "intentId",
       table_name as "table", operation, case when chain_id is not null then json_build_object(
         'chainId', chain_id, 'blockNumber', block_number, 'logIndex', coalesce(log_index, 0)) end as event
     from app.change_log where sequence > $1 order by sequence limit $2`,
    [String(after), limit],
  )
  return rows
}
