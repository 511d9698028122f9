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
      `select timestamp, block_number, finalized_block,
         (select coalesce(max(sequence), 0)::text from app.change_log) as sequence
       from cairn.chain_clock where chain_id = $1`,
      [chainId],
    )
    .catch((error: unknown) => {
      if (findDatabaseProblem(error) !== 'not_ready') throw error
      return { rows: [] }
    })
  const [row] = rows
  if (row === undefined) return null
  const clock = {
    chainId,
    timestamp: Number(row.timestamp),
    blockNumber: Number(row.block_number),
    finalizedBlock: Number(row.finalized_block),
  }
  return { clock, sequence: BigInt(row.sequence) }
}
