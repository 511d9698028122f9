import { createRpcPool } from '../../../services/chain/rpcPool/rpcPool.ts'
import type { ChainConfig } from '../../../services/config/chainConfig.ts'
import {
  type FoldOptions,
  type FoldResult,
  foldHistory,
} from '../../../services/indexer/fold/foldHistory.ts'
import { createPoolUnderTest } from '../../postgresUnderTest.ts'

type FoldTarget = { chain: ChainConfig; databaseUrl: string; schema: string }

/** Folds a chain's final history into a schema that is registered already. */
export async function foldInto(
  { chain, databaseUrl, schema }: FoldTarget,
  options: Partial<FoldOptions> = {},
): Promise<FoldResult> {
  const pool = createPoolUnderTest({ connectionString: databaseUrl, max: 1 })
  try {
    const rpc = createRpcPool(chain)
    return await foldHistory({ chain, databaseUrl, schema, build: 'tested', pool, rpc, ...options })
  } finally {
    await pool.end()
  }
}
