import type { ClientBase } from 'pg'
import { ChangedDuringReadError } from '../../services/chain/history/historyErrors.ts'
import { STATE_SUMS, toStateHash } from '../../services/store/chains/readStateHashes.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { Progress } from '../progressBar.ts'
import { compareRows, type RowComparison } from './compareRows.ts'
import { readDatabaseHeight, requireNoReorg } from './readDatabaseHeight.ts'
import { extendReplay, type Replay } from './replayChain.ts'

export type Comparison = RowComparison & {
  /** The database's state hash; null while rows aren't counted yet, the chain is behind, or for an earlier block. */
  keptHash: Hex | null
}

/**
 * Compares a replay with the database at the database's height. In one snapshot it reads that height, extends the replay to
 * it, and reads every row.
 *
 * @throws ChangedDuringReadError when the database is behind the replay, or holds blocks that were replaced
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
    const height = await readDatabaseHeight(client, chain.chainId)
    if (height < replay.block.number) {
      throw new ChangedDuringReadError(
        `the database went back from block ${replay.block.number} to ${height}`,
      )
    }
    await extendReplay(replay, height, progress)
    const rows = await compareRows(client, chain.chainId, store, limit)
    await requireNoReorg(client, replay)
    return { ...rows, keptHash: await readKeptHash(client, chain.chainId) }
  } finally {
    await client.query('ROLLBACK')
  }
}

async function readKeptHash(client: ClientBase, chainId: number): Promise<Hex | null> {
  const { rows } = await client.query(STATE_SUMS)
  return rows.map(toStateHash).find((kept) => kept.chainId === chainId)?.stateHash ?? null
}
