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
    'select coalesce(max(sequence), 0)::text as top from app.change_log',
  )
  return BigInt(rows[0].top)
}

/** Reads up to `limit` changes after a sequence, oldest first. */
export async function readChangesAfter(
  client: ClientBase,
  after: bigint,
  limit: number,
): Promise<Change[]> {
  const { rows } = await client.query(
    `select sequence::text, source_chain_id::text, intent_id::text, table_name, operation,
       chain_id::text, block_number::text, log_index
     from app.change_log where sequence > $1 order by sequence limit $2`,
    [String(after), limit],
  )
  return rows.map(fromLog)
}

function fromLog(row: {
  sequence: string
  source_chain_id: string | null
  intent_id: string | null
  table_name: Change['table']
  operation: Change['operation']
  chain_id: string | null
  block_number: string | null
  log_index: number | null
}): Change {
  return {
    sequence: BigInt(row.sequence),
    sourceChainId: row.source_chain_id === null ? null : Number(row.source_chain_id),
    intentId: row.intent_id === null ? null : BigInt(row.intent_id),
    table: row.table_name,
    operation: row.operation,
    event:
      row.chain_id === null
        ? null
        : {
            chainId: Number(row.chain_id),
            blockNumber: Number(row.block_number),
            logIndex: row.log_index ?? 0,
          },
  }
}
