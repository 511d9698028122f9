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
