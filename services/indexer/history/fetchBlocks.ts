import { numberToHex } from 'viem'
import { z } from 'zod'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { headerRequest } from '../../chain/history/headerRequest.ts'
import { requestInBatches } from '../../chain/history/requestInBatches.ts'
import {
  type ChainLog,
  type ChainTransaction,
  rawHeaderSchema,
  rawTransactionSchema,
} from '../../chain/history/rpcSchemas.ts'
import type { Provider } from '../../chain/rpcPool/provider.ts'
import { RpcError } from '../../chain/rpcPool/rpcError.ts'
import { compareSenders } from './compareSenders.ts'
import { finalAnswers, finalHeaders, type HistorySource } from './historySource.ts'

/** A block, as far as its logs can be checked with it. */
export const rawBlockSchema = rawHeaderSchema.extend({ logsBloom: z.string() })

const rawHeaderAndHashesSchema = rawBlockSchema.extend({
  transactions: z.array(z.string()).default([]),
})
/** Of a receipt, what its transaction says too. */
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
 * How to ask for the senders of transactions. Where the bridge's are most of a block, all receipts of the block at
 * once are cheaper for the node than single transactions, and a third of what the block with all its transactions
 * costs. Not every node offers them.
 */
export type SenderStyle = { byBlock: boolean; areReceiptsOffered: boolean }

/**
 * The blocks and transactions that the logs name, and the providers that alone gave some sender.
 *
 * @throws what `compareSenders` throws, too.
 */
export async function fetchBlocks(
  source: HistorySource,
  logs: readonly ChainLog[],
  style: SenderStyle,
): Promise<FetchedBlocks & { soleGivers: Provider[] }> {
  const numbers = [...new Set(logs.map(({ blockNumber }) => blockNumber))]
  const named = new Set(logs.map(({ transactionHash }) => transactionHash))
  const { pool, finish } = compareSenders(source, named)
  const [blocks, transactions] = await Promise.all([
    requestInBatches(
      source.pool,
      numbers.map(headerRequest),
      rawHeaderAndHashesSchema,
      finalHeaders(source),
    ),
    fetchSenders({ ...source, pool }, numbers, named, style),
  ])
  const all = blocks.reduce((sum, block) => sum + block.transactions.length, 0)
  style.byBlock = named.size * 2 >= all
  return { blocks, transactions, soleGivers: await finish() }
}

async function fetchSenders(
  source: HistorySource,
  numbers: readonly number[],
  named: ReadonlySet<Hex>,
  style: SenderStyle,
): Promise<ChainTransaction[]> {
  if (style.byBlock && style.areReceiptsOffered) {
    const found = await fetchReceipts(source, numbers, style)
    if (found) return found.filter(({ hash }) => named.has(hash))
  }
  const requests = [...named].map(transactionRequest)
  return requestInBatches(source.pool, requests, rawTransactionSchema, finalAnswers(source))
}

/** Null when no node gives them now. */
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
    const mayCome = error.failure === 'unreachable' || error.failure === 'rate-limited'
    if (!mayCome) style.areReceiptsOffered = false
    return null
  }
}

function receiptsRequest(number: number) {
  return { method: 'eth_getBlockReceipts', params: [numberToHex(number)] }
}

function transactionRequest(hash: Hex) {
  return { method: 'eth_getTransactionByHash', params: [hash] }
}
