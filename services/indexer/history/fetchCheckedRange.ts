import type { RangePace } from '../../chain/history/rangePace.ts'
import type { BlockRange } from '../../chain/history/readLogs.ts'
import type { Provider } from '../../chain/rpcPool/provider.ts'
import { checkConsistency, InconsistentRangeError } from './checkConsistency.ts'
import { compareProviders, DiscreditedRangeError } from './compareProviders.ts'
import { type FetchedBlocks, fetchBlocks, type SenderStyle } from './fetchBlocks.ts'
import { type FetchedLogs, fetchLogs } from './fetchLogs.ts'
import type { HistorySource } from './historySource.ts'
import { probeQuietBlocks } from './probeQuietBlocks.ts'

/** Blocks without logs that are looked at in each range. */
const quietProbes = 16

/** What ranges of one history share. */
export type FetchState = { pace: RangePace; style: SenderStyle }

/** A range's logs with their blocks and transactions, checked. */
export type CheckedRange = FetchedLogs &
  FetchedBlocks & {
    /** Whether a second provider gave the same logs. */
    isConfirmed: boolean
  }

/**
 * What the providers tell of a range, checked; in several parts when they insist on narrower requests.
 *
 * @throws RpcError when no provider is left that gives consistent answers.
 */
export async function fetchCheckedRange(
  source: HistorySource,
  range: BlockRange,
  state: FetchState,
): Promise<CheckedRange[]> {
  const inconsistent = new Set<Provider>()
  while (true) {
    const parts = await fetchLogs(source, range, state.pace, { exclude: inconsistent })
    let asked = parts[0] as FetchedLogs
    try {
      const checked: CheckedRange[] = []
      for (const part of parts) {
        asked = part
        checked.push(await completePart(source, part, state))
      }
      return checked
    } catch (error) {
      if (error instanceof DiscreditedRangeError) continue
      if (!(error instanceof InconsistentRangeError)) throw error
      inconsistent.add(asked.provider)
      if (source.pool.trusted().every((provider) => inconsistent.has(provider))) throw error
    }
  }
}

async function completePart(
  source: HistorySource,
  part: FetchedLogs,
  { style }: FetchState,
): Promise<CheckedRange> {
  const isConfirmed = await compareProviders(source, part)
  await probeQuietBlocks(source, part, quietProbes)
  const found = await fetchBlocks(source, part.logs, style)
  checkConsistency({ ...part, ...found }, source.filter)
  return { ...part, ...found, isConfirmed }
}
