import { encodeEventTopics, type Hex, numberToHex } from 'viem'
import { z } from 'zod'
import { safeProxyFactoryAbi } from '../../../../core/safe/safeAbi.ts'
import { createRangePace } from '../../../chain/history/rangePace.ts'
import type { RpcPool } from '../../../chain/rpcPool/rpcPool.ts'

/** The transaction that created a Safe, and how many blocks are on top of its own. */
export type Creation = { txHash: Hex; depth: number }

/** Which Safe is meant, and since when anybody can have known its address, in unix seconds. */
export type Sought = { safeAddress: Hex; proxyFactory: Hex; knownSince: number }

/** Ranges of blocks that one search asks for. */
const MOST_RANGES = 30
/** Milliseconds for each, and for all of them. */
const PATIENCE = 3_000
export const SEARCH_PATIENCE_MS = 10_000
/** Seconds by which the clock of a chain may be behind ours. */
const CLOCK_SLACK = 600

const log = z.object({
  address: z.string(),
  topics: z.array(z.string()),
  transactionHash: z.string().regex(/^0x[0-9a-fA-F]{64}$/),
  blockNumber: z.string(),
})
const logs = z.array(log)
const head = z.string().transform(Number)
const header = z.object({ timestamp: z.string().transform(Number) })

/**
 * Looks for the factory's log of a Safe's creation, backwards from the head: to the time at which its
 * address was made out, or as far as thirty ranges of blocks or ten seconds go.
 *
 * @returns null when it isn't found as far back
 * @throws RpcError when no node answers
 */
export async function findCreation(
  pool: Pick<RpcPool, 'send'>,
  { safeAddress, proxyFactory, knownSince }: Sought,
): Promise<Creation | null> {
  const pace = createRangePace({ first: 2_000 })
  const until = performance.now() + SEARCH_PATIENCE_MS
  const topics = topicsOf(safeAddress)
  const top = head.parse(await one(pool, 'eth_blockNumber', []))
  let to = top
  for (let ranges = 0; ranges < MOST_RANGES && to >= 0; ranges++) {
    const left = until - performance.now()
    if (left <= 0) return null
    const from = Math.max(0, to - pace.width() + 1)
    const range = { fromBlock: numberToHex(from), toBlock: numberToHex(to) }
    const { answers } = await pool.send(
      [
        { method: 'eth_getLogs', params: [{ address: proxyFactory, topics, ...range }] },
        { method: 'eth_getBlockByNumber', params: [numberToHex(from), false] },
      ],
      { patienceMs: Math.min(PATIENCE, left) },
    )
    const [found, first] = answers
    if (!found || 'error' in found) {
      pace.narrow(to - from + 1, undefined)
      continue
    }
    // What is found is kept for good: a node that gives more than it was asked for must not mislead.
    const creation = logs.parse(found.result).find((one) => isOf(one, proxyFactory, topics))
    if (creation) {
      const { transactionHash, blockNumber } = creation
      return { txHash: transactionHash as Hex, depth: top - Number(blockNumber) }
    }
    if (isBefore(first, knownSince - CLOCK_SLACK)) return null
    pace.learn({ blocks: to - from + 1, logs: 0 })
    to = from - 1
  }
  return null
}

function isOf(found: z.output<typeof log>, factory: Hex, topics: readonly unknown[]): boolean {
  const isFactorys = found.address.toLowerCase() === factory.toLowerCase()
  return isFactorys && topics.every((topic, at) => found.topics[at]?.toLowerCase() === topic)
}

function topicsOf(proxy: Hex) {
  return encodeEventTopics({
    abi: safeProxyFactoryAbi,
    eventName: 'ProxyCreation',
    args: { proxy },
  })
}

function isBefore(block: { result: unknown } | object | undefined, time: number): boolean {
  const known = header.safeParse(block && 'result' in block ? block.result : null)
  return known.success && known.data.timestamp < time
}

async function one(pool: Pick<RpcPool, 'send'>, method: string, params: unknown[]) {
  const { answers } = await pool.send([{ method, params }], { patienceMs: PATIENCE })
  const [answer] = answers
  if (!answer || 'error' in answer) throw answer?.error ?? new Error('an empty answer')
  return answer.result
}
