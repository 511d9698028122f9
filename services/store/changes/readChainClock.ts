import type { ClientBase } from 'pg'
import { findDatabaseProblem } from '../database/databaseProblem.ts'

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
    .query(
      `select chain_id as "chainId", timestamp, block_number as "blockNumber",
         finalized_block as "finalizedBlock",
         (select coalesce(max(sequence), 0)::numeric from app.change_log) as sequence
       from cairn.chain_clock where chain_id = $1`,
      [chainId],
    )
    .catch((error: unknown) => {
      if (findDatabaseProblem(error) !== 'not_ready') throw error
      return { rows: [] }
    })
  if (rows[0] === undefined) return null
  const { sequence, ...clock } = rows[0]
  return { clock, sequence }
}
