import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  hexToBigInt,
  type PublicClient,
  size,
  slice,
} from 'viem'
import { revertOf } from '../transactions/simulateCall.ts'

/**
 * A token balance at a block, in base units. Zero if the token reverts or returns no balance: it pays nobody, and must not
 * keep others from being read.
 *
 * @throws if the node doesn't answer
 */
export async function readTokenBalance(
  client: Pick<PublicClient, 'call'>,
  token: Address,
  holder: Address,
  blockNumber: bigint,
): Promise<bigint> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [holder] })
  try {
    const { data: answer = '0x' } = await client.call({ to: token, data, blockNumber })
    // The bridge too takes the first word of a longer answer.
    return size(answer) < 32 ? 0n : hexToBigInt(slice(answer, 0, 32))
  } catch (error) {
    if (revertOf(error) !== null) return 0n
    throw error
  }
}
