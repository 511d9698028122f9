import type { Hex, LogPoint } from '../../../src/event/bridgeEvent.ts'
import type { ChainEvent } from '../../../src/event/chainEvent.ts'
import { decodeContractLog } from '../../../src/event/decodeContractLog.ts'
import type { ChainConfig } from '../../config/chains.ts'
import type { RpcPool } from '../rpcPool/rpcPool.ts'
import { headerRequest } from './headerRequest.ts'
import { MovedError } from './historyError.ts'
import { prefetchOne } from './prefetchOne.ts'
import { readLogs } from './readLogs.ts'
import { requestFromPool } from './requestFromPool.ts'
import { PATIENCE_MS, requestInBatches } from './requestInBatches.ts'
import {
  type ChainLog,
  type ChainTransaction,
  type Header,
  rawHeaderSchema,
  rawTransactionSchema,
} from './rpcSchemas.ts'

/** A bridge, with its vault if it has one, whose history is read; addresses in lower case. */
export type BridgeOnChain = Pick<
  ChainConfig,
  'name' | 'chainId' | 'rpcUrls' | 'requestsPerSecond' | 'bridge' | 'vault' | 'startBlock'
>

/** Events of the blocks up to `to`, following on the part before. */
type EventPart = { to: number; events: ChainEvent[] }

/**
 * The events of bridge and vault from one block to another (both included), in the chain's order, with the
 * blocks' times and the transactions' senders.
 *
 * @throws MovedError when blocks changed while they were read (a reorg)
 */
export async function* fetchEvents(
  pool: RpcPool,
  chain: BridgeOnChain,
  range: { from: number; to: number },
): AsyncGenerator<EventPart> {
  const address = chain.vault ? [chain.bridge, chain.vault] : chain.bridge
  const ask = requestFromPool(pool, { patienceMs: PATIENCE_MS })
  const parts = readLogs(ask, { filters: [{ address }], ...range, chain: chain.name })
  for await (const { to, logs } of prefetchOne(parts)) {
    const surroundings = await fetchSurroundings(pool, logs)
    const events = logs.flatMap((log) => {
      const event = decodeContractLog(chain, log, pointOf(log, chain, surroundings))
      return event ? [event] : []
    })
    yield { to, events }
  }
}

type Surroundings = { headers: Map<number, Header>; transactions: Map<Hex, ChainTransaction> }

async function fetchSurroundings(pool: RpcPool, logs: readonly ChainLog[]): Promise<Surroundings> {
  const numbers = [...new Set(logs.map(({ blockNumber }) => blockNumber))]
  const hashes = [...new Set(logs.map(({ transactionHash }) => transactionHash))]
  const [headers, transactions] = await Promise.all([
    requestInBatches(pool, numbers.map(headerRequest), rawHeaderSchema),
    requestInBatches(pool, hashes.map(transactionRequest), rawTransactionSchema),
  ])
  return {
    headers: new Map(headers.map((header) => [header.number, header])),
    transactions: new Map(transactions.map((transaction) => [transaction.hash, transaction])),
  }
}

function pointOf(
  { blockNumber, blockHash, logIndex, transactionHash }: ChainLog,
  { chainId, name }: BridgeOnChain,
  { headers, transactions }: Surroundings,
): LogPoint {
  const header = headers.get(blockNumber)
  const transaction = transactions.get(transactionHash)
  if (header?.hash !== blockHash || transaction?.blockHash !== blockHash) {
    throw new MovedError(`block ${blockNumber} of ${name} was replaced while it was read`)
  }
  return {
    chainId,
    blockNumber,
    blockHash,
    blockTimestamp: header.timestamp,
    logIndex,
    transactionHash,
    transactionFrom: transaction.from,
  }
}

function transactionRequest(hash: Hex) {
  return { method: 'eth_getTransactionByHash', params: [hash] }
}
