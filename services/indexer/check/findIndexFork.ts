import type { Pool } from 'pg'
import { findFork, type ReadBlock } from '../../chain/history/findFork.ts'
import type { ChainView } from '../follow/probeChain.ts'

/**
 * The highest block number up to which all indexed events are still on the chain.
 *
 * @param schema the chain's tables; `startBlock` the first block they cover
 */
export function findIndexFork(
  pool: Pool,
  view: ChainView,
  { schema, chainId, startBlock }: { schema: string; chainId: number; startBlock: number },
): Promise<number> {
  const latestEventUpTo = async (block: number): Promise<ReadBlock | null> => {
    const { rows } = await pool.query(
      `select block_number, block_hash from "${schema}".event
       where chain_id = $1 and block_number <= $2
       order by chain_id desc, block_number desc limit 1`,
      [chainId, block],
    )
    return rows[0] ? { number: Number(rows[0].block_number), hash: rows[0].block_hash } : null
  }
  const isOnChain = async ({ number, hash }: ReadBlock) =>
    (await view.hashesAt(number)).some((one) => one === hash)
  return findFork(latestEventUpTo, isOnChain, startBlock - 1)
}
