import type { Pool } from 'pg'
import type { ChainConfig } from '../../config/chainConfig.ts'
import { deleteChainIndex } from '../follow/deleteChainIndex.ts'
import { markStarting, prepareSchema } from '../tables/prepareSchema.ts'

export type OwnSchema = { pool: Pool; chain: ChainConfig; build: string; schema: string }

/**
 * Drops a chain's tables because their rows can't be trusted from some block on, and rows can't be reverted by range. A
 * chain that readers see is hidden until it is folded again.
 *
 * @param trusted highest block up to which the rows are right
 */
export async function dropChainTables(
  own: OwnSchema,
  { isReady, trusted }: { isReady: boolean; trusted: number },
): Promise<void> {
  const { pool, chain, schema } = own
  const { rows } = await pool.query(
    'select resume_block from app.projection where schema_name = $1',
    [schema],
  )
  if (isReady) await deleteChainIndex(pool, { chainId: chain.chainId, fork: trusted })
  else await pool.query(`drop schema "${schema}" cascade`)
  await prepareSchema(own)
  await markStarting(own, rows[0].resume_block)
}
