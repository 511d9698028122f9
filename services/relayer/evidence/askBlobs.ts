import { numberToHex, toEventSelector } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { decodeLog } from '../../../src/event/decodeLog.ts'
import { EVENT_ABI } from '../../../src/event/eventFields.ts'
import { createRangePace } from '../../chain/history/rangePace.ts'
import { type ChainLog, rawLogSchema } from '../../chain/history/rawAnswers.ts'
import type { Provider } from '../../chain/rpcPool/provider.ts'
import { RpcError } from '../../chain/rpcPool/rpcError.ts'
import type { RpcPool } from '../../chain/rpcPool/rpcPool.ts'
import { type BlobOnChain, blobOfEvent } from '../terms/loadBlobsOnChain.ts'

export type BlobsWanted = {
  bridge: Hex
  intentId: bigint
  /** Block numbers, both included. */
  from: number
  to: number
  /** Picks what counts of what a node has shown; null when that isn't all there. */
  counts: (found: readonly BlobOnChain[]) => readonly BlobOnChain[] | null
}

const BLOB_EVENTS = ['IntentCreated', 'IntentAnchored', 'BlobAppended'] as const

/** Milliseconds for one answer. */
const PATIENCE_MS = 5_000

/**
 * An intent's blobs from the chain's own nodes, one after the other, until one shows those that count: for
 * when the index has others, because the node that it was made by has lied. Null when none does.
 */
export async function askBlobs(
  pool: RpcPool,
  wanted: BlobsWanted,
): Promise<readonly BlobOnChain[] | null> {
  for (const provider of pool.trusted()) {
    const found = await logsOf(provider, wanted).catch((): ChainLog[] => [])
    const blobs = wanted.counts(found.flatMap(blobOfLog))
    if (blobs !== null) return blobs
  }
  return null
}

async function logsOf(
  provider: Provider,
  { bridge, intentId, from, to }: BlobsWanted,
): Promise<ChainLog[]> {
  const pace = createRangePace({ first: 2_000 })
  const topics = [BLOB_EVENTS.map(selectorOf), numberToHex(intentId, { size: 32 })]
  const logs: ChainLog[] = []
  for (let next = from; next <= to; ) {
    const last = Math.min(next + pace.width() - 1, to)
    const range = { fromBlock: numberToHex(next), toBlock: numberToHex(last) }
    const [answer] = await provider.send(
      [{ method: 'eth_getLogs', params: [{ address: bridge, topics, ...range }] }],
      { timeoutMs: PATIENCE_MS },
    )
    if (answer === undefined) throw new RpcError('unreachable', 'an empty answer')
    if ('error' in answer) {
      if (next === last) throw answer.error
      pace.narrow(last - next + 1, undefined)
      continue
    }
    const part = rawLogSchema.array().parse(answer.result)
    pace.learn({ blocks: last - next + 1, logs: part.length })
    logs.push(...part)
    next = last + 1
  }
  return logs.toSorted((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
}

function blobOfLog(log: ChainLog): BlobOnChain[] {
  const event = decodeLog(log, {
    ...{ chainId: 0, blockNumber: log.blockNumber, blockHash: log.blockHash, blockTimestamp: 0 },
    ...{ logIndex: log.logIndex, transactionHash: log.transactionHash, transactionFrom: '0x' },
  })
  return event === null ? [] : blobOfEvent(event)
}

function selectorOf(name: (typeof BLOB_EVENTS)[number]): Hex {
  return toEventSelector(EVENT_ABI.find((item) => item.name === name) as never)
}
