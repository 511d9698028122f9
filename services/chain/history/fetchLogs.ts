import { numberToHex } from 'viem'
import { z } from 'zod'
import type { RpcPool } from '../rpcPool/rpcPool.ts'
import { checked, PATIENCE_MS } from './askNode.ts'
import type { BridgeOnChain } from './bridgeOnChain.ts'
import { UnreadableError } from './historyError.ts'
import { createRangePace, type RangePace } from './rangePace.ts'
import { type ChainLog, rawLogSchema } from './rawAnswers.ts'

/** Logs of the blocks up to `to`, following on the part before. */
export type LogPart = { to: number; logs: ChainLog[] }

/**
 * The logs of bridge and vault from one block to another (both included), in the chain's order, in ranges as
 * wide as the node allows and as the density of logs makes sensible.
 */
export async function* fetchLogs(
  pool: RpcPool,
  chain: BridgeOnChain,
  range: { from: number; to: number },
): AsyncGenerator<LogPart> {
  const pace = createRangePace({ first: 2_000 })
  let from = range.from
  while (from <= range.to) {
    const to = Math.min(from + pace.width() - 1, range.to)
    const logs = await askLogs(pool, chain, { from, to }, pace)
    if (logs === null) continue
    pace.learn({ blocks: to - from + 1, logs: logs.length })
    yield { to, logs }
    from = to + 1
  }
}

/** Null when the node refused so wide a range; `pace` has then become narrower. */
async function askLogs(
  pool: RpcPool,
  { bridge, vault, name }: BridgeOnChain,
  { from, to }: { from: number; to: number },
  pace: RangePace,
): Promise<ChainLog[] | null> {
  const address = vault ? [bridge, vault] : bridge
  const filter = { address, fromBlock: numberToHex(from), toBlock: numberToHex(to) }
  // A node that hasn't got the last block yet would leave its logs out without a word: by asking
  // for that block in the same exchange, such an answer is seen to be none.
  const requests = [
    { method: 'eth_getLogs', params: [filter] },
    { method: 'eth_getBlockByNumber', params: [numberToHex(to), false] },
  ]
  const { answers } = await pool.send(requests, {
    patienceMs: PATIENCE_MS,
    usable: (result) => result !== null,
  })
  const [answer] = answers
  if (!answer || 'error' in answer) {
    const why = answer?.error.message ?? 'no answer'
    if (from === to) throw new UnreadableError(`${name} refuses the logs of block ${from}: ${why}`)
    pace.narrow(to - from + 1, undefined)
    return null
  }
  return checked(z.array(rawLogSchema), answer.result, 'eth_getLogs').sort(inChainOrder)
}

function inChainOrder(a: ChainLog, b: ChainLog): number {
  return a.blockNumber - b.blockNumber || a.logIndex - b.logIndex
}
