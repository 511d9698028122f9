import { numberToHex } from 'viem'
import type { Provider, RpcRequest } from '../../chain/rpcPool/provider.ts'
import { type FetchContext, finalAnswers } from './fetchLogs.ts'
import type { RawBlock, RawLog, RawTransaction } from './ponderInternals.ts'

/** Requests of one exchange: what most providers accept in a batch. */
const batchSize = 100
/** Exchanges under way at once. */
const exchanges = 3

export type FetchedBlocks = {
  blocks: RawBlock[]
  /** Only transactions that emitted one of the logs. */
  transactions: RawTransaction[]
}

/**
 * Whether to ask for blocks with all their transactions (one request a block) or for headers and then for
 * the few transactions needed. Where the bridge's transactions are most of a block, the former is cheaper.
 */
export type BlockStyle = { wholeBlocks: boolean }

/** The blocks and transactions that the logs name. */
export async function fetchBlocks(
  context: FetchContext,
  logs: readonly RawLog[],
  style: BlockStyle,
  exclude?: ReadonlySet<Provider>,
): Promise<FetchedBlocks> {
  const numbers = [...new Set(logs.map((log) => Number(log.blockNumber)))]
  const named = new Set(logs.map((log) => log.transactionHash))
  const { wholeBlocks } = style
  const blockRequests = numbers.map((number) => ({
    method: 'eth_getBlockByNumber',
    params: [numberToHex(number), wholeBlocks],
  }))
  const raw = (await sendAll(context, blockRequests, exclude)) as RawBlock[]
  const all = raw.reduce((sum, block) => sum + (block.transactions?.length ?? 0), 0)
  style.wholeBlocks = named.size * 2 >= all

  const transactions = wholeBlocks
    ? raw.flatMap((block) =>
        (block.transactions as RawTransaction[]).filter(({ hash }) => named.has(hash)),
      )
    : await sendAll(
        context,
        [...named].map((hash) => ({ method: 'eth_getTransactionByHash', params: [hash] })),
        exclude,
      )
  return standard(context, raw, transactions as RawTransaction[])
}

/** Passes blocks, each with its needed transactions only, through Ponder's own checks and defaults. */
function standard(
  { ponder }: FetchContext,
  raw: readonly RawBlock[],
  transactions: readonly RawTransaction[],
): FetchedBlocks {
  const byBlock = new Map<string, RawTransaction[]>()
  for (const transaction of transactions) {
    const siblings = byBlock.get(transaction.blockNumber)
    if (siblings) siblings.push(transaction)
    else byBlock.set(transaction.blockNumber, [transaction])
  }
  const blocks = raw.map((block) =>
    ponder.standardizeBlock(
      { ...block, transactions: byBlock.get(block.number) ?? [] },
      { method: 'eth_getBlockByNumber', params: [block.number, true] },
    ),
  )
  return { blocks, transactions: blocks.flatMap((block) => block.transactions as RawTransaction[]) }
}

async function sendAll(
  context: FetchContext,
  requests: RpcRequest[],
  exclude: ReadonlySet<Provider> | undefined,
): Promise<unknown[]> {
  const batches: RpcRequest[][] = []
  for (let at = 0; at < requests.length; at += batchSize)
    batches.push(requests.slice(at, at + batchSize))
  const results: unknown[][] = []
  let next = 0
  const lane = async () => {
    while (next < batches.length) {
      const position = next++
      const { answers } = await context.pool.send(batches[position] as RpcRequest[], {
        ...finalAnswers(context),
        exclude,
      })
      results[position] = answers.map((answer) => {
        if ('error' in answer) throw answer.error
        return answer.result
      })
    }
  }
  await Promise.all(Array.from({ length: exchanges }, lane))
  return results.flat()
}
