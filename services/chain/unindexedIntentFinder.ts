import { setTimeout as pause } from 'node:timers/promises'
import { getAbiItem, type Hex, toEventSelector } from 'viem'
import { bridgeIntentV2Abi } from '../../src/event/abi/bridgeIntentV2.ts'
import type { BridgeEvent } from '../../src/event/bridgeEvent.ts'
import { decodeBridgeLog } from '../../src/event/decodeBridgeLog.ts'
import type { ChainConfig } from '../config/chainConfig.ts'
import { createChainClient } from './chainClient.ts'
import { readAllLogs } from './history/readLogs.ts'
import { requestFromClient } from './history/requestFromClient.ts'

type Creation = Extract<BridgeEvent, { type: 'IntentCreated' }>

export type UnindexedIntentFinder = {
  /**
   * Reads an intent's creation from the chain itself, for a sender who is faster than the index.
   *
   * @param indexed the indexed head; only blocks above it are read
   * @returns null if there is no such intent
   * @throws IndexBehindError, or viem's error if the chain can't be read
   */
  find(intentId: bigint, indexed: number): Promise<Creation | null>
}

type ChainReader = Pick<
  ReturnType<typeof createChainClient>,
  'getBlock' | 'getBlockNumber' | 'request'
>

/** Blocks below the indexed head that are read too, because a reorg may be moving it. */
const MARGIN = 12
/** Limit on blocks read. */
const MAX_BLOCKS = 500
const CREATED = toEventSelector(getAbiItem({ abi: bridgeIntentV2Abi, name: 'IntentCreated' }))

/** The index is too far behind its chain to read what it lacks. */
export class IndexBehindError extends Error {
  override name = 'IndexBehindError'
}

/**
 * Finds intents that the index doesn't have yet. All callers share one read of the chain, at most four a second, so that
 * unknown ids can't overload its nodes.
 */
export function createUnindexedIntentFinder(
  chain: Pick<ChainConfig, 'name' | 'chainId' | 'rpcUrls' | 'bridge'>,
  options: { client?: ChainReader; everyMs?: number } = {},
): UnindexedIntentFinder {
  const { client = createChainClient(chain, { timeoutMs: 3_000 }), everyMs = 250 } = options
  // The next read, shared by all callers that come before it starts.
  let next: Promise<Map<bigint, Creation>> | null = null
  let begunAt = Number.NEGATIVE_INFINITY
  let lowest = Number.POSITIVE_INFINITY

  const read = async (): Promise<Map<bigint, Creation>> => {
    await pause(Math.max(0, begunAt + everyMs - performance.now()))
    begunAt = performance.now()
    const from = lowest - MARGIN
    next = null
    lowest = Number.POSITIVE_INFINITY
    return creationsSince(client, chain, from)
  }
  return {
    find: async (intentId, indexed) => {
      lowest = Math.min(lowest, indexed)
      next ??= read()
      return (await next).get(intentId) ?? null
    },
  }
}

async function creationsSince(
  client: ChainReader,
  { chainId, bridge }: Pick<ChainConfig, 'chainId' | 'bridge'>,
  from: number,
): Promise<Map<bigint, Creation>> {
  const head = Number(await client.getBlockNumber())
  // A node behind the index has nothing that the index lacks.
  if (head < from) return new Map()
  if (head - from > MAX_BLOCKS)
    throw new IndexBehindError('the index is far behind: try again later')
  const filters = [{ address: bridge, topics: [CREATED] }]
  const logs = await readAllLogs(requestFromClient(client), {
    filters,
    from: Math.max(0, from),
    to: head,
  })
  const times = new Map<Hex, number>()
  for (const blockHash of new Set(logs.map((log) => log.blockHash))) {
    times.set(blockHash, Number((await client.getBlock({ blockHash })).timestamp))
  }
  const found = new Map<bigint, Creation>()
  for (const { blockNumber, blockHash, logIndex, transactionHash, ...log } of logs) {
    const event = decodeBridgeLog(log, {
      chainId,
      blockNumber,
      blockHash,
      logIndex,
      transactionHash,
      transactionFrom: '0x',
      blockTimestamp: times.get(blockHash) as number,
    })
    if (event?.type === 'IntentCreated') found.set(event.args.intentId, event)
  }
  return found
}
