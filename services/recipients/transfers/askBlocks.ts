import { numberToHex } from 'viem'
import { z } from 'zod'
import type { RpcAnswer } from '../../chain/rpcPool/provider.ts'
import { RpcError } from '../../chain/rpcPool/rpcError.ts'
import type { RpcPool } from '../../chain/rpcPool/rpcPool.ts'
import type { Block } from './transferContext.ts'

/** Milliseconds for which an answer is waited for before the round is given up. */
export const PATIENCE = 10_000

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
  pool: RpcPool,
  blocks: readonly (number | 'latest')[],
): Promise<(Block | null)[]> {
  const { answers } = await pool.send(blocks.map(blockRequest), { patienceMs: PATIENCE })
  return blocks.map((_, position) => blockOf(answers[position]))
}
