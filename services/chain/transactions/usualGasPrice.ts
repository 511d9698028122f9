import type { PublicClient } from 'viem'
import type { Nodes } from './nodes.ts'

/**
 * Wei that a first version costs for each gas at present, of which all of a chain's nodes name the priority fee.
 *
 * @param baseFees how many of the latest block's base fee to count: two, if it may double
 */
export async function usualGasPrice(
  { client, nodes }: { client: Pick<PublicClient, 'getBlock'>; nodes: Pick<Nodes, 'priorityFees'> },
  baseFees = 1n,
): Promise<bigint> {
  const [{ baseFeePerGas }, { usual }] = await Promise.all([
    client.getBlock({ blockTag: 'latest' }),
    nodes.priorityFees(),
  ])
  return baseFees * (baseFeePerGas ?? 0n) + usual
}
