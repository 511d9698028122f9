import { numberToHex, toEventSelector } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { decodeLog } from '../../../src/event/decodeLog.ts'
import { EVENT_ABI } from '../../../src/event/eventFields.ts'
import { readAllLogs } from '../../chain/history/readLogs.ts'
import type { ChainLog } from '../../chain/history/rpcSchemas.ts'
import type { RpcRequest } from '../../chain/rpcPool/provider.ts'
import type { RpcPool } from '../../chain/rpcPool/rpcPool.ts'
import { type BlobOnChain, blobOfEvent } from '../terms/loadBlobsOnChain.ts'

type BlobsRequest = {
  bridge: Hex
  intentId: bigint
  /** Block numbers, both included. */
  from: number
  to: number
  /** Picks what counts from a node's logs; null when some is missing. */
  counts: (found: readonly BlobOnChain[]) => readonly BlobOnChain[] | null
}

const BLOB_EVENTS = ['IntentCreated', 'IntentAnchored', 'BlobAppended'] as const

/** Milliseconds for one answer. */
const PATIENCE_MS = 5_000

/**
 * An intent's blobs from the chain's nodes, one after the other, until one shows those that count, for
 * when a node's false answer has put others into the index. Null when none does.
 */
export async function askBlobs(
  pool: RpcPool,
  { bridge: address, intentId, from, to, counts }: BlobsRequest,
): Promise<readonly BlobOnChain[] | null> {
  const topics = [BLOB_EVENTS.map(selectorOf), numberToHex(intentId, { size: 32 })]
  for (const provider of pool.trusted()) {
    const ask = async (requests: readonly RpcRequest[]) => {
      return { answers: await provider.send(requests, { timeoutMs: PATIENCE_MS }), provider }
    }
    const asked = readAllLogs(ask, { filters: [{ address, topics }], from, to })
    const found = await asked.catch((): ChainLog[] => [])
    const blobs = counts(found.flatMap(blobOfLog))
    if (blobs !== null) return blobs
  }
  return null
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
