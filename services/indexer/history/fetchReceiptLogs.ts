import { z } from 'zod'
import { listOf } from '../../../core/validation/listOf.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { createBlockHeaderRequest } from '../../chain/history/blockHeaderRequest.ts'
import type { RangeSizer } from '../../chain/history/rangeSizer.ts'
import { type BlockRange, byChainOrder } from '../../chain/history/readLogs.ts'
import { parseAnswer, rawLogSchema } from '../../chain/history/rpcSchemas.ts'
import { receiptsMatchRoot } from '../../chain/proof/receiptsMatchRoot.ts'
import { resultOf } from '../../chain/rpcPool/provider.ts'
import type { SendOptions } from '../../chain/rpcPool/rpcPool.ts'
import { mapInParallel } from '../../process/mapInParallel.ts'
import {
  type FetchedBlocks,
  type FetchStyle,
  isMostlyOurs,
  nullIfNotOffered,
  rawBlockSchema,
  rawSenderSchema,
  receiptsRequest,
} from './fetchBlocksOfLogs.ts'
import {
  type ContractsFilter,
  type FetchedLogs,
  finalHeaders,
  type HistorySource,
} from './historySource.ts'

/** Blocks per exchange: a header and receipts of each are as many requests as most providers accept in a batch. */
const BLOCKS_AT_A_TIME = 50
export const CONCURRENT_EXCHANGES = 3

const rawProvableBlockSchema = rawBlockSchema.extend({ receiptsRoot: z.string() })
const rawReceiptsSchema = listOf(z.custom<RawReceipt>(isReceipt))

type ProvableBlock = z.infer<typeof rawProvableBlockSchema>
/** Of a known form only as far as `isReceipt` checks, because there are millions of logs. */
type RawReceipt = Readonly<Record<string, unknown> & { logs: readonly RawLog[] }>
type RawLog = Readonly<{
  address: unknown
  topics: readonly unknown[]
  blockNumber: unknown
  logIndex: unknown
}>

/** Logs from receipts, with all blocks of their range. */
export type ReceiptLogs = FetchedLogs & FetchedBlocks

/**
 * Fetches the contracts' logs in a range from the receipts of all its blocks, part by part. Where most blocks have logs, it
 * saves `eth_getLogs`, which would be half of what is read: senders need the receipts anyway. Only receipts that hash to
 * their header's root are accepted, so no log is missing or invented if the header is right.
 *
 * @returns null if that wouldn't save anything, or if no node returns such receipts
 */
export async function fetchReceiptLogs(
  source: HistorySource,
  { from, to }: BlockRange,
  { sizer, style }: { sizer: RangeSizer; style: FetchStyle },
): Promise<ReceiptLogs[] | null> {
  const { byBlock, isDense, areReceiptsOffered, areReceiptsProven } = style
  const isWorthwhile = byBlock && isDense && areReceiptsOffered && areReceiptsProven
  if (!isWorthwhile || !source.hasVerifiableHeaders) return null
  const ranges: BlockRange[] = []
  for (let first = from; first <= to; first += BLOCKS_AT_A_TIME)
    ranges.push({ from: first, to: Math.min(first + BLOCKS_AT_A_TIME - 1, to) })
  const exchanges = mapInParallel(ranges, CONCURRENT_EXCHANGES, (range) =>
    requestReceiptLogs(source, range, { areProven: true }),
  )
  const parts = await nullIfNotOffered(style, exchanges)
  if (parts === null) return null
  const proven = parts.filter((part) => part !== null)
  style.areReceiptsProven = proven.length === parts.length
  if (!style.areReceiptsProven) return null
  const logs = proven.flatMap((part) => part.logs)
  sizer.recordAnswer({ blocks: to - from + 1, logs: logs.length })
  style.isDense = isDenseIn({ from, to, logs })
  style.byBlock = isMostlyOurs(proven)
  return proven
}

/** Whether most blocks of a range have logs. */
export function isDenseIn({ from, to, logs }: Pick<FetchedLogs, 'from' | 'to' | 'logs'>): boolean {
  return new Set(logs.map(({ blockNumber }) => blockNumber)).size * 2 >= to - from + 1
}

/**
 * @param options.areProven whether the receipts must be proven; otherwise only the last block comes along
 * @returns null if receipts should be proven and aren't, or if they count logs otherwise than `eth_getLogs`
 */
export async function requestReceiptLogs(
  source: HistorySource,
  range: BlockRange,
  { areProven, ...options }: { areProven: boolean } & Pick<SendOptions, 'exclude'>,
): Promise<ReceiptLogs | null> {
  const { from, to } = range
  const numbers = Array.from({ length: to - from + 1 }, (_, at) => from + at)
  const headers = (areProven ? numbers : [to]).map(createBlockHeaderRequest)
  const { answers, provider } = await source.pool.send(
    [...headers, ...numbers.map(receiptsRequest)],
    { ...finalHeaders(source), retryBehind: false, once: true, ...options },
  )
  const results = answers.map(resultOf)
  const blocks = results
    .slice(0, headers.length)
    .map((one) => parseAnswer(rawProvableBlockSchema, one, 'eth_getBlockByNumber'))
  const receipts = results
    .slice(headers.length)
    .map((one) => parseAnswer(rawReceiptsSchema, one, 'eth_getBlockReceipts'))
  if (areProven ? !areAllProven(blocks, receipts) : receipts.some(countEachTransaction)) return null
  const end = blocks.at(-1) as ProvableBlock
  return { ...range, provider, end, extraHeaders: [], blocks, ...readReceipts(receipts, source) }
}

function areAllProven(
  blocks: readonly ProvableBlock[],
  receipts: readonly (readonly RawReceipt[])[],
): boolean {
  return blocks.every(({ number, receiptsRoot }, at) => {
    const ofBlock = receipts[at] ?? []
    // The root covers neither the block nor the index of a log, which some nodes count within its transaction.
    const areInPlace = ofBlock
      .flatMap(({ logs }) => logs)
      .every(
        ({ blockNumber, logIndex }, position) =>
          Number(blockNumber) === number && Number(logIndex) === position,
      )
    return areInPlace && receiptsMatchRoot(ofBlock, receiptsRoot.toLowerCase())
  })
}

/** Whether the node counts the logs of each transaction, while `eth_getLogs` counts those of the block. */
function countEachTransaction(ofBlock: readonly RawReceipt[]): boolean {
  return ofBlock.filter(({ logs }) => logs.length > 0 && Number(logs[0]?.logIndex) === 0).length > 1
}

/** The contracts' logs, and the senders of their transactions. */
function readReceipts(
  blocks: readonly (readonly RawReceipt[])[],
  { filter }: HistorySource,
): Pick<ReceiptLogs, 'logs' | 'transactions'> {
  const wanted = blocks.flat().flatMap((receipt) => {
    const logs = receipt.logs.filter((log) => isWanted(filter, log))
    return logs.length === 0 ? [] : [{ receipt, logs }]
  })
  const method = 'eth_getBlockReceipts'
  return {
    logs: parseAnswer(
      listOf(rawLogSchema),
      wanted.flatMap(({ logs }) => logs),
      method,
    ).sort(byChainOrder),
    transactions: wanted.map(({ receipt }) => {
      const { transactionHash: hash, ...rest } = parseAnswer(rawSenderSchema, receipt, method)
      return { hash, ...rest }
    }),
  }
}

function isReceipt(raw: unknown): boolean {
  const { logs } = (raw ?? {}) as Partial<RawReceipt>
  return Array.isArray(logs) && logs.every((log) => Array.isArray(log?.topics))
}

function isWanted({ selectors }: ContractsFilter, { address, topics }: RawLog): boolean {
  const ofContract = selectors.get(String(address).toLowerCase() as Hex)
  return ofContract?.has(String(topics[0]).toLowerCase()) ?? false
}
