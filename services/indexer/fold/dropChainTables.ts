import type { Pool } from 'pg'
import type { ChainConfig } from '../../config/chains.ts'
import { forgetChain } from '../follow/forgetChain.ts'
import { markStarting, prepareSchema } from '../tables/prepareSchema.ts'

export type OwnSchema = { pool: Pool; chain: ChainConfig; build: string; schema: string }

/**
 * Drops a chain's tables, because what they hold from some block on is doubted: rows can't be taken back range by
 * range. A chain that readers see is hidden from them until it is folded again.
 *
 * @param undoubted highest block up to which nothing is doubted
 */
export async function dropChainTables(
  own: OwnSchema,
  { isReady, undoubted }: { isReady: boolean; undoubted: number },
): Promise<void> {
  const { pool, chain, schema } = own
  const { rows } = await pool.query(
    'select resume_block from app.projection where schema_name = $1',
    [schema],
  )
  if (isReady) await forgetChain(pool, { chainId: chain.chainId, fork: undoubted })
  else await pool.query(`drop schema "${schema}" cascade`)
  await prepareSchema(own)
  await markStarting(own, rows[0].resume_block)
}
