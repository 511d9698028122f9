import { numberToHex } from 'viem'
import { z } from 'zod'
import { listOf } from '../../../core/validation/listOf.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { createBlockHeaderRequest } from '../../chain/history/blockHeaderRequest.ts'
import { requestInBatches } from '../../chain/history/requestInBatches.ts'
import {
  type ChainLog,
  type ChainTransaction,
  rawHeaderSchema,
  rawTransactionSchema,
} from '../../chain/history/rpcSchemas.ts'
import { createTransactionLookupRequest } from '../../chain/history/transactionLookupRequest.ts'
import type { Provider } from '../../chain/rpcPool/provider.ts'
import { RpcError } from '../../chain/rpcPool/rpcError.ts'
import { crossCheckTransactionSenders } from './crossCheckTransactionSenders.ts'
import { finalAnswers, finalHeaders, type HistorySource } from './historySource.ts'

export const rawBlockSchema = rawHeaderSchema.extend({
  logsBloom: z.string(),
  /** Hashes. */
  transactions: z._default(listOf(z.string()), []),
})
/** The fields of a receipt that its transaction has too. */
export const rawSenderSchema = rawTransactionSchema
  .omit({ hash: true })
  .extend({ transactionHash: rawTransactionSchema.shape.hash })
const rawReceiptsSchema = listOf(rawSenderSchema)

export type ChainBlock = z.infer<typeof rawBlockSchema>

export type FetchedBlocks = {
  blocks: ChainBlock[]
  /** Only transactions that emitted one of the logs. */
  transactions: ChainTransaction[]
}

/**
 * How to request logs and senders, learned from earlier ranges. Where most of a block's transactions are the bridge's, all
 * its receipts at once are cheaper for the node than single transactions. Where also most blocks have logs, they replace
 * `eth_getLogs`.
 */
export type FetchStyle = {
  /** Whether most transactions are the bridge's. */
  byBlock: boolean
  /** Whether most blocks have logs. */
  isDense: boolean
  /** Not every node offers receipts of whole blocks. */
  areReceiptsOffered: boolean
  /** Not every chain's receipts hash to their root as we encode them. */
  areReceiptsProven: boolean
}

/**
 * Fetches the blocks and transactions of logs.
 *
 * @returns also the providers of senders that no second provider confirmed
 * @throws RpcError, and the errors of `crossCheckTransactionSenders`
 */
export async function fetchBlocksOfLogs(
  source: HistorySource,
  logs: readonly ChainLog[],
  style: FetchStyle,
): Promise<FetchedBlocks & { soleProviders: Provider[] }> {
  const numbers = [...new Set(logs.map(({ blockNumber }) => blockNumber))]
  const hashes = new Set(logs.map(({ transactionHash }) => transactionHash))
  const { pool, finish } = crossCheckTransactionSenders(source, hashes)
  const [blocks, transactions] = await Promise.all([
    requestInBatches(
      source.pool,
      numbers.map(createBlockHeaderRequest),
      rawBlockSchema,
      finalHeaders(source),
    ),
    fetchSenders({ ...source, pool }, numbers, hashes, style),
  ])
  style.byBlock = isMostlyOurs([{ blocks, transactions }])
  return { blocks, transactions, soleProviders: await finish() }
}

/** Whether most of the blocks' transactions emitted one of the logs. */
export function isMostlyOurs(parts: readonly FetchedBlocks[]): boolean {
  const ours = parts.reduce((sum, { transactions }) => sum + transactions.length, 0)
  const blocks = parts.flatMap((part) => part.blocks)
  return ours * 2 >= blocks.reduce((sum, block) => sum + block.transactions.length, 0)
}

async function fetchSenders(
  source: HistorySource,
  numbers: readonly number[],
  hashes: ReadonlySet<Hex>,
  style: FetchStyle,
): Promise<ChainTransaction[]> {
  if (style.byBlock && style.areReceiptsOffered) {
    const transactions = await fetchReceipts(source, numbers, style)
    if (transactions) return transactions.filter(({ hash }) => hashes.has(hash))
  }
  const requests = [...hashes].map(createTransactionLookupRequest)
  return requestInBatches(source.pool, requests, rawTransactionSchema, finalAnswers(source))
}

/** Null when no node returns them now. */
async function fetchReceipts(
  source: HistorySource,
  numbers: readonly number[],
  style: FetchStyle,
): Promise<ChainTransaction[] | null> {
  const options = { ...finalAnswers(source), retryBehind: false, once: true }
  const requests = numbers.map(receiptsRequest)
  const blocks = await nullIfNotOffered(
    style,
    requestInBatches(source.pool, requests, rawReceiptsSchema, options),
  )
  return blocks?.flat().map(({ transactionHash: hash, ...rest }) => ({ hash, ...rest })) ?? null
}

/** Null when no node returns receipts now. Remembers if none ever will. */
export async function nullIfNotOffered<Answer>(
  style: FetchStyle,
  requested: Promise<Answer>,
): Promise<Answer | null> {
  try {
    return await requested
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    const isTemporary = error.failure === 'unreachable' || error.failure === 'rate-limited'
    if (!isTemporary) style.areReceiptsOffered = false
    return null
  }
}

export function receiptsRequest(number: number) {
  return { method: 'eth_getBlockReceipts', params: [numberToHex(number)] }
}
