import type { ClientBase } from 'pg'
import { askHeader } from '../../services/chain/history/askNode.ts'
import { MovedError } from '../../services/chain/history/historyError.ts'
import { STATE_SUMS, toStateHash } from '../../services/store/chains/readStateHashes.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { Progress } from '../progressBar.ts'
import { compareRows, type RowComparison } from './compareRows.ts'
import { databaseHeight } from './databaseHeight.ts'
import { extendReplay, type Replay } from './replayChain.ts'

export type Comparison = RowComparison & {
  /** The state hash that the database keeps; null while it is none: of rows that aren't counted yet, of a chain that is behind, of an earlier block. */
  keptHash: Hex | null
}

/**
 * Compares a replay with the database at the database's own height: inside one snapshot it reads
 * that height, takes the replay up to it, and then reads every row.
 *
 * @throws MovedError when the database is behind the replay, or holds blocks that were replaced
 */
export async function compareReplay(
  client: ClientBase,
  replay: Replay,
  progress: Progress,
  limit: number,
): Promise<Comparison> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  try {
    const { chain, store } = replay
    const height = await databaseHeight(client, chain.chainId)
    if (height < replay.block.number) {
      throw new MovedError(`the database went back from block ${replay.block.number} to ${height}`)
    }
    await extendReplay(replay, height, progress)
    const rows = await compareRows(client, chain.chainId, store, limit)
    if (await holdsReplacedBlocks(client, replay)) {
      throw new MovedError(`the database holds blocks of ${chain.name} that were replaced since`)
    }
    return { ...rows, keptHash: await readKeptHash(client, chain.chainId) }
  } finally {
    await client.query('ROLLBACK')
  }
}

async function readKeptHash(client: ClientBase, chainId: number): Promise<Hex | null> {
  const { rows } = await client.query(STATE_SUMS)
  return rows.map(toStateHash).find((kept) => kept.chainId === chainId)?.stateHash ?? null
}

/**
 * Whether the index was caught in the middle of a reorg: its newest event is in another block than
 * the chain has at that height. It will see that within seconds, and the comparison can be repeated.
 */
async function holdsReplacedBlocks(client: ClientBase, replay: Replay): Promise<boolean> {
  const { rows } = await client.query(
    `SELECT block_number, block_hash FROM cairn.event WHERE chain_id = $1
     ORDER BY block_number DESC, log_index DESC LIMIT 1`,
    [replay.chain.chainId],
  )
  const newest = rows[0]
  if (!newest) return false
  const header = await askHeader(replay.pool, Number(newest.block_number))
  return header.hash !== newest.block_hash
}
