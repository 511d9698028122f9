import { numberToHex } from 'viem'
import type { RangePace } from '../../chain/history/rangePace.ts'
import type { Provider } from '../../chain/rpcPool/provider.ts'
import { RpcError } from '../../chain/rpcPool/rpcError.ts'
import type { RpcPool, SendOptions } from '../../chain/rpcPool/rpcPool.ts'
import type { BlockRange } from './blockRange.ts'
import type { LogQuery } from './logQuery.ts'
import type { PonderInternals, RawBlock, RawLog } from './ponderInternals.ts'

/** The logs of one range as one provider gave them, in the chain's order. */
export type FetchedLogs = BlockRange & {
  logs: RawLog[]
  /** The range's last block by the same provider, asked in the same exchange. */
  end: RawBlock
  provider: Provider
}

export type FetchContext = {
  pool: RpcPool
  ponder: PonderInternals
  query: LogQuery
  signal: AbortSignal | undefined
  /** How long to wait for any provider to answer. */
  patienceMs: number
  /** Each provider is asked once, whatever comes of it. */
  once?: boolean
}

/** How to ask for what is in a final block: somebody has it, so null is never the answer. */
export function finalAnswers({ signal, patienceMs, once }: FetchContext): SendOptions {
  return { signal, patienceMs, once, awaitBehind: true, usable: (result) => result !== null }
}

/**
 * The query's logs in a range, in as many requests as the providers insist on.
 *
 * Each request carries the header of the range's last block: a node that doesn't have that block would
 * answer with fewer logs and no error, so such an answer is not used and another provider is asked.
 */
export async function fetchLogs(
  context: FetchContext,
  range: BlockRange,
  pace: RangePace,
  exclude?: ReadonlySet<Provider>,
): Promise<FetchedLogs[]> {
  const parameters = logParameters(context.query, range)
  const { answers, provider } = await context.pool.send(
    [
      { method: 'eth_getLogs', params: [parameters] },
      { method: 'eth_getBlockByNumber', params: [numberToHex(range.to), false] },
    ],
    {
      exclude,
      ...finalAnswers(context),
    },
  )
  const [logs, end] = answers
  if (!logs || 'error' in logs) {
    return fetchNarrower(context, range, pace, logs?.error, exclude)
  }
  if (!end || 'error' in end) throw end?.error ?? new RpcError('unreachable', 'an empty answer')
  const standard = context.ponder.standardizeLogs(logs.result as RawLog[], {
    method: 'eth_getLogs',
    params: [parameters],
  })
  return [{ ...range, logs: inChainOrder(standard), end: end.result as RawBlock, provider }]
}

/** A provider turned the range down: ask for smaller ones, of the size it names or of half the size. */
async function fetchNarrower(
  context: FetchContext,
  range: BlockRange,
  pace: RangePace,
  error: RpcError | undefined,
  exclude: ReadonlySet<Provider> | undefined,
): Promise<FetchedLogs[]> {
  const blocks = range.to - range.from + 1
  if (blocks === 1) throw error ?? new RpcError('unreachable', 'an empty answer')
  pace.narrow(blocks, error && allowedWidth(context, range, error))
  const width = Math.max(1, Math.min(pace.width(), Math.floor(blocks / 2)))
  const parts: FetchedLogs[] = []
  for (let from = range.from; from <= range.to; from += width) {
    const part = { from, to: Math.min(from + width - 1, range.to) }
    parts.push(...(await fetchLogs(context, part, pace, exclude)))
  }
  return parts
}

function allowedWidth(
  context: FetchContext,
  range: BlockRange,
  error: RpcError,
): number | undefined {
  const { shouldRetry, isSuggestedRange, ranges } = context.ponder.narrowerRanges({
    params: [logParameters(context.query, range)],
    error,
  })
  const first = ranges?.[0]
  if (!shouldRetry || !isSuggestedRange || !first) return undefined
  return Number(first.toBlock) - Number(first.fromBlock) + 1
}

function logParameters({ addresses, topics }: LogQuery, { from, to }: BlockRange) {
  const address = addresses.length === 1 ? addresses[0] : addresses
  return { address, topics: [topics], fromBlock: numberToHex(from), toBlock: numberToHex(to) }
}

function inChainOrder(logs: RawLog[]): RawLog[] {
  return logs.sort(
    (a, b) =>
      Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex),
  )
}
