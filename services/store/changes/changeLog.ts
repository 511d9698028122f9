import type { ClientBase } from 'pg'
import { findDatabaseProblem } from '../database/databaseProblem.ts'

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

/** A line of the log. After a failover or a restored backup, another line may have its sequence, but never its time. */
export type LogPosition = { sequence: bigint; writtenAt: string | null }

const WRITTEN_AT = 'changed_at::text as "writtenAt"'

/** Reads the newest line's position; sequence 0 if the log is empty. */
export async function readNewestPosition(client: ClientBase): Promise<LogPosition> {
  const { rows } = await client.query(
    `select sequence::numeric, ${WRITTEN_AT} from app.change_log order by sequence desc limit 1`,
  )
  return rows[0] ?? { sequence: 0n, writtenAt: null }
}

/** Whether the log still has this line, and so all before it that were read. */
export async function hasPosition(
  client: ClientBase,
  { sequence, writtenAt }: LogPosition,
): Promise<boolean> {
  if (writtenAt === null) return true
  const { rows } = await client.query(
    'select from app.change_log where sequence = $1 and changed_at::text = $2',
    [String(sequence), writtenAt],
  )
  return rows.length > 0
}

/** Reads up to `limit` changes after a sequence, oldest first. */
export async function readChangesAfter(
  client: ClientBase,
  after: bigint,
  limit: number,
): Promise<(Change & LogPosition)[]> {
  const { rows } = await client.query(
    `select sequence::numeric, ${WRITTEN_AT}, source_chain_id as "sourceChainId", intent_id as "intentId",
       table_name as "table", operation, case when chain_id is not null then json_build_object(
         'chainId', chain_id, 'blockNumber', block_number, 'logIndex', coalesce(log_index, 0)) end as event
     from app.change_log where sequence > $1 order by sequence limit $2`,
    [String(after), limit],
  )
  return rows
}

/** A chain's indexed head, in unix seconds and block numbers. */
export type ClockChange = {
  chainId: number
  timestamp: number
  blockNumber: number
  finalizedBlock: number
}

/**
 * Reads a chain's clock, and the newest sequence in the log as of the same moment. Null if the views show no such chain,
 * or don't exist yet.
 */
export async function readChainClock(
  client: ClientBase,
  chainId: number,
): Promise<{ clock: ClockChange; sequence: bigint } | null> {
  const { rows } = await client
    .query({
      // Prepared, with the chain as a literal: so it is planned once, not for every block.
      name: `chain_clock_${chainId}`,
      text: `select chain_id as "chainId", timestamp, block_number as "blockNumber",
         finalized_block as "finalizedBlock",
         (select coalesce(max(sequence), 0)::numeric from app.change_log) as sequence
       from cairn.chain_clock where chain_id = ${Number(chainId)}`,
    })
    .catch((error: unknown) => {
      if (findDatabaseProblem(error) !== 'not_ready') throw error
      return { rows: [] }
    })
  if (rows[0] === undefined) return null
  const { sequence, ...clock } = rows[0]
  return { clock, sequence }
}
