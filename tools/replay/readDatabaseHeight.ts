import type { ClientBase } from 'pg'
import { ChangedDuringReadError } from '../../services/chain/history/historyErrors.ts'
import { ToolError } from '../commandLine.ts'
import type { Replay } from './replayChain.ts'

/**
 * The last block of a chain in the database.
 *
 * @throws ToolError when it has none
 */
export async function readDatabaseHeight(client: ClientBase, chainId: number): Promise<number> {
  const { rows } = await client.query(
    'SELECT block_number FROM cairn.chain_clock WHERE chain_id = $1',
    [chainId],
  )
  const height = rows[0]?.block_number
  if (height == null) throw new ToolError(`the database has no index of chain ${chainId} yet`)
  return Number(height)
}

/**
 * Requires that the newest indexed event is in a block the chain still has. If not, the index will notice the reorg within
 * seconds, and the comparison can be repeated.
 *
 * @throws ChangedDuringReadError
 */
export async function requireNoReorg(
  client: ClientBase,
  { chain, nodes, block }: Pick<Replay, 'chain' | 'nodes' | 'block'>,
): Promise<void> {
  const { rows } = await client.query(
    `SELECT block_number, block_hash FROM cairn.event WHERE chain_id = $1 AND block_number <= $2
     ORDER BY block_number DESC, log_index DESC LIMIT 1`,
    [chain.chainId, block.number],
  )
  const newest = rows[0]
  if (!newest) return
  const header = await nodes.header(Number(newest.block_number))
  if (header.hash !== newest.block_hash) {
    throw new ChangedDuringReadError(
      `the database holds blocks of ${chain.name} that were replaced since`,
    )
  }
}
