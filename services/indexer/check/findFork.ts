import type { Pool } from 'pg'
import type { ChainView } from '../follow/probeChain.ts'

/**
 * The highest block number up to which all indexed events are still on the chain.
 *
 * @param schema the chain's tables; `startBlock` the first block they cover
 */
export async function findFork(
  pool: Pool,
  view: ChainView,
  { schema, chainId, startBlock }: { schema: string; chainId: number; startBlock: number },
): Promise<number> {
  const latestEventUpTo = async (block: number) => {
    const { rows } = await pool.query(
      `select block_number, block_hash from "${schema}".event
       where chain_id = $1 and block_number <= $2
       order by chain_id desc, block_number desc limit 1`,
      [chainId, block],
    )
    return rows[0] && { blockNumber: Number(rows[0].block_number), blockHash: rows[0].block_hash }
  }
  let common = startBlock - 1
  let suspect = (await latestEventUpTo(Number.MAX_SAFE_INTEGER))?.blockNumber ?? common
  while (common < suspect) {
    const middle = Math.ceil((common + suspect) / 2)
    const event = await latestEventUpTo(middle)
    const isOnChain =
      event === undefined ||
      event.blockNumber <= common ||
      (await view.hashesAt(event.blockNumber)).includes(event.blockHash)
    if (isOnChain) common = middle
    else suspect = event.blockNumber - 1
  }
  return common
}
