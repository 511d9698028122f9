import { RpcError } from '../../chain/rpcPool/rpcError.ts'
import type { RpcPool, SendOptions } from '../../chain/rpcPool/rpcPool.ts'
import { findLowerMedian } from '../../chain/transactions/medianAndMajority.ts'
import { createQueryEachProvider } from './queryEachProvider.ts'

/**
 * The latest block that most providers have reached; of two, both. Final blocks are counted from it: by one provider's
 * invented head, blocks that may still be replaced would be folded as final, and nothing reverts those.
 *
 * @throws RpcError without an answer
 */
export async function readHeadOfMost(
  pool: RpcPool,
  options: Pick<SendOptions, 'signal' | 'totalTimeoutMs'>,
): Promise<number> {
  const answers = await createQueryEachProvider(pool)('eth_blockNumber', [], options)
  const heads = answers.map(Number).filter((head) => Number.isSafeInteger(head))
  if (heads.length === 0) throw new RpcError('refused', 'a node’s block number is not a number')
  return findLowerMedian(heads)
}
