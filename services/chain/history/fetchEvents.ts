import type { Hex, LogPoint } from '../../../src/event/bridgeEvent.ts'
import type { ChainEvent, ChainEventType } from '../../../src/event/chainEvent.ts'
import { decodeContractLog } from '../../../src/event/decodeContractLog.ts'
import { BRIDGE_LAYOUTS, VAULT_LAYOUTS } from '../../../src/event/logLayout.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import type { RpcPool } from '../rpcPool/rpcPool.ts'
import { createBlockHeaderRequest } from './blockHeaderRequest.ts'
import { ChangedDuringReadError } from './historyErrors.ts'
import { prefetchOne } from './prefetchOne.ts'
import { readLogs } from './readLogs.ts'
import { requestFromPool } from './requestFromPool.ts'
import { requestInBatches, TIMEOUT_MS } from './requestInBatches.ts'
import {
  type ChainLog,
  type ChainTransaction,
  type Header,
  rawHeaderSchema,
  rawTransactionSchema,
} from './rpcSchemas.ts'
import { createTransactionLookupRequest } from './transactionLookupRequest.ts'

/** A bridge and its optional vault whose history is read; addresses in lower case. */
export type BridgeOnChain = Pick<
  ChainConfig,
  'name' | 'chainId' | 'rpcUrls' | 'requestsPerSecond' | 'bridge' | 'vault' | 'startBlock'
>

/** The events after the previous part, up to block `to`. */
export type EventPart = { to: number; events: ChainEvent[] }

/**
 * Fetches the events of bridge and vault in a block range (both ends included), in chain order, with block times and
 * transaction senders.
 *
 * @param types of the events that matter; others may be among those fetched. Default: all
 * @throws ChangedDuringReadError on a reorg during the read
 */
export async function* fetchEvents(
  pool: Pick<RpcPool, 'send'>,
  chain: BridgeOnChain,
  range: { from: number; to: number },
  types?: readonly ChainEventType[],
): AsyncGenerator<EventPart> {
  const address = chain.vault ? [chain.bridge, chain.vault] : chain.bridge
  const filter = types ? { address, topics: [selectorsOf(types)] } : { address }
  const send = requestFromPool(pool, { totalTimeoutMs: TIMEOUT_MS })
  const parts = readLogs(send, { filters: [filter], ...range, chain: chain.name })
  for await (const { to, logs } of prefetchOne(parts)) {
    yield { to, events: decodeLogs(chain, logs, await fetchContext(pool, logs)) }
  }
}

/**
 * The events in logs of bridge and vault, in their order.
 *
 * @throws ChangedDuringReadError when a log isn't in its block or transaction
 */
export function decodeLogs(
  chain: BridgeOnChain,
  logs: readonly ChainLog[],
  context: LogContext,
): ChainEvent[] {
  return logs.flatMap((log) => {
    const event = decodeContractLog(chain, log, pointOf(log, chain, context))
    return event ? [event] : []
  })
}

function selectorsOf(types: readonly ChainEventType[]): Hex[] {
  const layouts = [...BRIDGE_LAYOUTS, ...VAULT_LAYOUTS]
  const selectors = layouts.flatMap(([selector, { type }]) =>
    types.includes(type) ? (selector as Hex) : [],
  )
  return [...new Set(selectors)]
}

type LogContext = { headers: Map<number, Header>; transactions: Map<Hex, ChainTransaction> }

async function fetchContext(
  pool: Pick<RpcPool, 'send'>,
  logs: readonly ChainLog[],
): Promise<LogContext> {
  const numbers = [...new Set(logs.map(({ blockNumber }) => blockNumber))]
  const hashes = [...new Set(logs.map(({ transactionHash }) => transactionHash))]
  const [headers, transactions] = await Promise.all([
    requestInBatches(pool, numbers.map(createBlockHeaderRequest), rawHeaderSchema),
    requestInBatches(pool, hashes.map(createTransactionLookupRequest), rawTransactionSchema),
  ])
  return {
    headers: new Map(headers.map((header) => [header.number, header])),
    transactions: new Map(transactions.map((transaction) => [transaction.hash, transaction])),
  }
}

function pointOf(
  { blockNumber, blockHash, logIndex, transactionHash }: ChainLog,
  { chainId, name }: BridgeOnChain,
  { headers, transactions }: LogContext,
): LogPoint {
  const header = headers.get(blockNumber)
  const transaction = transactions.get(transactionHash)
  if (header?.hash !== blockHash || transaction?.blockHash !== blockHash) {
    throw new ChangedDuringReadError(`block ${blockNumber} of ${name} was replaced during the read`)
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
