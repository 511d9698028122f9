import { numberToHex } from 'viem'
import { z } from 'zod'
import type { RpcAnswer } from '../../../chain/rpcPool/provider.ts'
import { RpcError } from '../../../chain/rpcPool/rpcError.ts'
import type { Block, TransferContext } from './transferContext.ts'

const header = z.object({ number: z.string(), hash: z.string(), timestamp: z.string() }).transform(
  ({ number, hash, timestamp }): Block => ({
    number: Number(number),
    hash: hash.toLowerCase(),
    time: Number(timestamp),
  }),
)

/** The request for a block's header. */
export function blockRequest(block: number | 'latest') {
  const params = [block === 'latest' ? block : numberToHex(block), false]
  return { method: 'eth_getBlockByNumber', params }
}

/** Reads an answer to it; null for a block that the node doesn't have. Throws RpcError. */
export function blockOf(answer: RpcAnswer | undefined): Block | null {
  if (answer === undefined) throw new RpcError('unreachable', 'an empty answer')
  if ('error' in answer) throw answer.error
  return answer.result === null ? null : header.parse(answer.result)
}

/** Blocks by number or name, all as one and the same node has them. */
export async function askBlocks(
  { pool, settings: { patienceMs } }: Pick<TransferContext, 'pool' | 'settings'>,
  blocks: readonly (number | 'latest')[],
): Promise<(Block | null)[]> {
  const { answers } = await pool.send(blocks.map(blockRequest), { patienceMs })
  return blocks.map((_, position) => blockOf(answers[position]))
}
