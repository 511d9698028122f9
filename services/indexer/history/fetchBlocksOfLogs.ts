import { numberToHex } from 'viem'
import { z } from 'zod'
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

export const rawBlockSchema = rawHeaderSchema.extend({ logsBloom: z.string() })

const rawHeaderAndHashesSchema = rawBlockSchema.extend({
  transactions: z.array(z.string()).default([]),
})
/** The fields of a receipt that its transaction has too. */
const rawSenderSchema = rawTransactionSchema
  .omit({ hash: true })
  .extend({ transactionHash: rawTransactionSchema.shape.hash })
const rawReceiptsSchema = z.array(rawSenderSchema)

export type ChainBlock = z.infer<typeof rawBlockSchema>

export type FetchedBlocks = {
  blocks: ChainBlock[]
  /** Only transactions that emitted one of the logs. */
  transactions: ChainTransaction[]
}

/**
 * How to request the senders of transactions. Where most of a block's transactions are the bridge's, all its receipts at
 * once are cheaper for the node than single transactions. Not every node offers them.
 */
export type SenderStyle = { byBlock: boolean; areReceiptsOffered: boolean }

/**
 * Fetches the blocks and transactions of logs.
 *
 * @returns also the providers of senders that no second provider confirmed
 * @throws RpcError, and the errors of `crossCheckTransactionSenders`
 */
export async function fetchBlocksOfLogs(
  source: HistorySource,
  logs: readonly ChainLog[],
  style: SenderStyle,
): Promise<FetchedBlocks & { soleProviders: Provider[] }> {
  const numbers = [...new Set(logs.map(({ blockNumber }) => blockNumber))]
  const hashes = new Set(logs.map(({ transactionHash }) => transactionHash))
  const { pool, finish } = crossCheckTransactionSenders(source, hashes)
  const [blocks, transactions] = await Promise.all([
    requestInBatches(
      source.pool,
      numbers.map(createBlockHeaderRequest),
      rawHeaderAndHashesSchema,
      finalHeaders(source),
    ),
    fetchSenders({ ...source, pool }, numbers, hashes, style),
  ])
  const total = blocks.reduce((sum, block) => sum + block.transactions.length, 0)
  style.byBlock = hashes.size * 2 >= total
  return { blocks, transactions, soleProviders: await finish() }
}

async function fetchSenders(
  source: HistorySource,
  numbers: readonly number[],
  hashes: ReadonlySet<Hex>,
  style: SenderStyle,
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
  style: SenderStyle,
): Promise<ChainTransaction[] | null> {
  const options = { ...finalAnswers(source), retryBehind: false, once: true }
  try {
    const blocks = await requestInBatches(
      source.pool,
      numbers.map(receiptsRequest),
      rawReceiptsSchema,
      options,
    )
    return blocks.flat().map(({ transactionHash: hash, ...rest }) => ({ hash, ...rest }))
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    const isTemporary = error.failure === 'unreachable' || error.failure === 'rate-limited'
    if (!isTemporary) style.areReceiptsOffered = false
    return null
  }
}

function receiptsRequest(number: number) {
  return { method: 'eth_getBlockReceipts', params: [numberToHex(number)] }
}
