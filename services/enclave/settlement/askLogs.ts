import { setTimeout as sleep } from 'node:timers/promises'
import { numberToHex } from 'viem'
import { z } from 'zod'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { createRangePace } from '../../chain/history/rangePace.ts'
import { type ChainLog, rawLogSchema } from '../../chain/history/rawAnswers.ts'
import { postJsonRpc } from '../../chain/rpcPool/postJsonRpc.ts'
import { classifyRpcError, RpcError } from '../../chain/rpcPool/rpcError.ts'

export type LogsWanted = {
  /** Lower case. */
  address: Hex
  /** As `eth_getLogs` takes them. */
  topics: readonly (Hex | readonly Hex[])[]
  /** Block numbers, both included. */
  from: number
  to: number
  /** Hash of the block at `to`: what is before it is as certain. */
  toHash: Hex
}

/** What has been read so far: all before `next`. */
export type LogsRead = { next: number; logs: ChainLog[] }

/** Blocks of the first range: what nearly every provider allows. */
const FIRST_WIDTH = 2_000

/**
 * Milliseconds for one answer, and for all of them: with what heads and blocks may take before, less than a
 * caller waits for the enclave.
 */
const PATIENCE = 5_000
const PATIENCE_IN_ALL = 20_000

/** Milliseconds before a node that has had too many questions gets the next. */
const PAUSE = 250

/** Bytes of one answer, as viem takes them, and logs in all: an intent has a few. */
const MOST_BYTES = 10 * 1024 * 1024
const MOST_LOGS = 100_000

const answerSchema = z.union([
  z.object({ result: z.array(rawLogSchema) }),
  z.object({ error: z.looseObject({}) }),
])

/**
 * Asks one node for logs, in ranges as wide and as fast as it allows, and gives them in the chain's order.
 * Rejects when it refuses even a single block, doesn't answer, takes too long over all of it, or has more
 * to say than an intent's logs can be: it must not fill the memory of who asks.
 *
 * @param read where to go on; grows, also when it takes too long
 */
export async function askLogs(
  url: string,
  wanted: LogsWanted,
  read: LogsRead = { next: wanted.from, logs: [] },
): Promise<ChainLog[]> {
  const { address, topics, to } = wanted
  const signal = AbortSignal.timeout(PATIENCE_IN_ALL)
  const pace = createRangePace({ first: FIRST_WIDTH })
  const { logs } = read
  while (read.next <= to) {
    const from = read.next
    const last = Math.min(from + pace.width() - 1, to)
    const blocks = last - from + 1
    const filter = { address, topics, fromBlock: numberToHex(from), toBlock: numberToHex(last) }
    const part = await askRange(url, filter, signal)
    if (part === 'later') {
      await sleep(PAUSE, undefined, { signal })
      continue
    }
    if (part === 'narrower') {
      if (blocks === 1) throw new RpcError('refused', 'the logs of a block are refused')
      pace.narrow(blocks, undefined)
      continue
    }
    pace.learn({ blocks, logs: part.length })
    for (const log of part) logs.push(log)
    if (logs.length > MOST_LOGS) throw new RpcError('refused', 'more logs than there can be')
    read.next = last + 1
  }
  return logs.toSorted((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
}

/** `narrower` when the node refuses so wide a range, `later` when it has been asked too much. */
async function askRange(
  url: string,
  filter: object,
  signal: AbortSignal,
): Promise<ChainLog[] | 'narrower' | 'later'> {
  const request = { jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: [filter] }
  try {
    const answer = answerSchema.parse(
      await postJsonRpc(url, request, { timeoutMs: PATIENCE, signal, mostBytes: MOST_BYTES }),
    )
    if ('result' in answer) return answer.result
    throw classifyRpcError(answer.error)
  } catch (error) {
    const failure = error instanceof RpcError ? error.failure : null
    if (failure === 'refused') return 'narrower'
    if (failure === 'rate-limited') return 'later'
    throw error
  }
}
