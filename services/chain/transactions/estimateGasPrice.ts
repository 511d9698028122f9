import type { ChainNodes } from './chainNodes.ts'
import { findLowerMedian } from './medianAndMajority.ts'
import { readBaseFee } from './readBaseFee.ts'

/**
 * The present gas price of a first version in wei, by agreement of all nodes.
 *
 * @param baseFees multiple of the latest base fee to count; 2 allows it to double
 */
export async function estimateGasPrice(
  { nodes }: { nodes: Pick<ChainNodes, 'queryAll' | 'priorityFees'> },
  baseFees = 1n,
): Promise<bigint> {
  const [reported, { standard }] = await Promise.all([
    nodes.queryAll(
      async (client) => readBaseFee(await client.getBlock({ blockTag: 'latest' })),
      String,
    ),
    nodes.priorityFees(),
  ])
  return baseFees * findLowerMedian(reported) + standard
}
