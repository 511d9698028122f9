import { encodeFunctionData, numberToHex } from 'viem'
import { z } from 'zod'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import type { BridgeOnChain } from '../../chain/history/fetchEvents.ts'
import { requestInBatches } from '../../chain/history/requestInBatches.ts'
import { isRevert, RpcError } from '../../chain/rpcPool/rpcError.ts'
import { OperatorError } from '../../config/operatorError.ts'
import type { ComparedNodes } from './comparedNodes.ts'

const call = { abi: bridgeIntentV2Abi, functionName: 'getLatestIntentId' } as const

/** The sequence in the latest id, its lower 64 bits; null from an address without code. */
const latestSequence = z
  .string()
  .regex(/^0x([0-9a-fA-F]{64})?$/)
  .transform((answer) => (answer === '0x' ? null : BigInt.asUintN(64, BigInt(answer))))

/** The contract doesn't count intents, or there is none. */
export class NoBridgeError extends OperatorError {
  override readonly name = 'NoBridgeError'
}

/**
 * How many intents a bridge had created by a block, by its own count, which doesn't depend on the logs.
 *
 * @returns null when no node has the state of that block any more
 * @throws NoBridgeError, NodesDisagreeError
 */
export async function readIntentCount(
  nodes: ComparedNodes,
  { name, bridge }: Pick<BridgeOnChain, 'name' | 'bridge'>,
  block: number,
): Promise<bigint | null> {
  const parameters = [{ to: bridge, data: encodeFunctionData(call) }, numberToHex(block)]
  const request = { method: 'eth_call', params: parameters }
  const noBridge = new NoBridgeError(
    `no bridge is at ${bridge} on ${name} at block ${block}: correct \`bridge\` in the chain’s entry of the chains file`,
  )
  try {
    const [count] = await nodes.read(
      `how many intents the bridge of ${name} has counted at block ${block}`,
      (sending) => requestInBatches(sending, [request], latestSequence),
      ([found]) => String(found ?? 'no bridge'),
    )
    if (count == null) throw noBridge
    return count
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    if (isRevert(error)) throw noBridge
    return null
  }
}
