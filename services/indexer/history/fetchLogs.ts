import { askPool } from '../../chain/history/askPool.ts'
import type { RangePace } from '../../chain/history/rangePace.ts'
import { type BlockRange, type LogPart, readLogs } from '../../chain/history/readLogs.ts'
import type { Provider } from '../../chain/rpcPool/provider.ts'
import type { SendOptions } from '../../chain/rpcPool/rpcPool.ts'
import { finalHeaders, type HistorySource } from './historySource.ts'

/** The logs of one range as one provider gave them, in the chain's order. */
export type FetchedLogs = LogPart<Provider>

/** The contracts' logs in a range, in as many parts as the providers insist on. */
export async function fetchLogs(
  source: HistorySource,
  { from, to }: BlockRange,
  pace: RangePace,
  options: Pick<SendOptions, 'exclude' | 'once'> = {},
): Promise<FetchedLogs[]> {
  const { addresses, topics } = source.filter
  const address = addresses.length === 1 ? addresses[0] : addresses
  const ask = askPool(source.pool, { ...finalHeaders(source), ...options })
  const parts: FetchedLogs[] = []
  const filters = [{ address, topics: [topics] }]
  const question = { filters, from, to, pace, allowedWidth: source.suggestedRangeWidth }
  for await (const part of readLogs(ask, question)) parts.push(part)
  return parts
}
