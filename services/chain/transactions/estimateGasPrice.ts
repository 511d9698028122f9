import { lowerMedian } from './medians.ts'
import type { Nodes } from './nodes.ts'

/**
 * Wei that a first version costs for each gas at present, as all of a chain's nodes name it together.
 *
 * @param baseFees how many of the latest block's base fee to count: two, if it may double
 */
export async function estimateGasPrice(
  { nodes }: { nodes: Pick<Nodes, 'queryAll' | 'priorityFees'> },
  baseFees = 1n,
): Promise<bigint> {
  const [named, { usual }] = await Promise.all([
    nodes.queryAll(async (client) => {
      const { baseFeePerGas } = await client.getBlock({ blockTag: 'latest' })
      return baseFeePerGas ?? 0n
    }, String),
    nodes.priorityFees(),
  ])
  return baseFees * lowerMedian(named) + usual
}
