import { numberToHex } from 'viem'
import { z } from 'zod'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { askAll } from '../../chain/history/askNode.ts'
import {
  type ChainLog,
  type ChainTransaction,
  rawHeaderSchema,
  rawTransactionSchema,
} from '../../chain/history/rawAnswers.ts'
import { finalAnswers, finalHeaders, type HistorySource } from './historySource.ts'

/** A block, as far as its logs can be checked with it. */
export const rawBlockSchema = rawHeaderSchema.extend({ logsBloom: z.string() })

const rawHeaderAndHashesSchema = rawBlockSchema.extend({
  transactions: z.array(z.string()).default([]),
})
const rawWholeBlockSchema = rawBlockSchema.extend({ transactions: z.array(rawTransactionSchema) })

export type ChainBlock = z.infer<typeof rawBlockSchema>

export type FetchedBlocks = {
  blocks: ChainBlock[]
  /** Only transactions that emitted one of the logs. */
  transactions: ChainTransaction[]
}

/**
 * Whether to ask for blocks with all their transactions (one request a block) or for headers and then for
 * the few transactions needed. Where the bridge's transactions are most of a block, the former is cheaper.
 */
export type BlockStyle = { wholeBlocks: boolean }

/** The blocks and transactions that the logs name. */
export async function fetchBlocks(
  source: HistorySource,
  logs: readonly ChainLog[],
  style: BlockStyle,
): Promise<FetchedBlocks> {
  const numbers = [...new Set(logs.map(({ blockNumber }) => blockNumber))]
  const named = new Set(logs.map(({ transactionHash }) => transactionHash))
  const { blocks, transactions, all } = style.wholeBlocks
    ? await fetchWhole(source, numbers, named)
    : await fetchHeaders(source, numbers, named)
  style.wholeBlocks = named.size * 2 >= all
  return { blocks, transactions }
}

/** `all`: how many transactions the blocks have. */
type Found = FetchedBlocks & { all: number }

async function fetchWhole(
  source: HistorySource,
  numbers: readonly number[],
  named: ReadonlySet<Hex>,
): Promise<Found> {
  const { pool } = source
  const requests = numbers.map((number) => blockRequest(number, true))
  const blocks = await askAll(pool, requests, rawWholeBlockSchema, finalHeaders(source))
  const all = blocks.flatMap(({ transactions }) => transactions)
  return { blocks, transactions: all.filter(({ hash }) => named.has(hash)), all: all.length }
}

async function fetchHeaders(
  source: HistorySource,
  numbers: readonly number[],
  named: ReadonlySet<Hex>,
): Promise<Found> {
  const { pool } = source
  const [blocks, transactions] = await Promise.all([
    askAll(
      pool,
      numbers.map((number) => blockRequest(number, false)),
      rawHeaderAndHashesSchema,
      finalHeaders(source),
    ),
    askAll(pool, [...named].map(transactionRequest), rawTransactionSchema, finalAnswers(source)),
  ])
  const all = blocks.reduce((sum, block) => sum + block.transactions.length, 0)
  return { blocks, transactions, all }
}

function blockRequest(number: number, whole: boolean) {
  return { method: 'eth_getBlockByNumber', params: [numberToHex(number), whole] }
}

function transactionRequest(hash: Hex) {
  return { method: 'eth_getTransactionByHash', params: [hash] }
}
