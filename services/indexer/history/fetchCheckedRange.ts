import { UnusableAnswerError } from '../../chain/history/historyErrors.ts'
import type { RangeSizer } from '../../chain/history/rangeSizer.ts'
import type { BlockRange } from '../../chain/history/readLogs.ts'
import type { Provider } from '../../chain/rpcPool/provider.ts'
import { RpcError } from '../../chain/rpcPool/rpcError.ts'
import { checkRangeConsistency, InconsistentRangeError } from './checkRangeConsistency.ts'
import { compareProviders, DiscreditedRangeError } from './compareProviders.ts'
import { type FetchedBlocks, fetchBlocksOfLogs, type SenderStyle } from './fetchBlocksOfLogs.ts'
import { type FetchedLogs, fetchLogs, type HistorySource } from './historySource.ts'
import { probeQuietBlocks } from './probeQuietBlocks.ts'

/** Blocks without logs to check in each range. */
const QUIET_PROBES = 16

/** Shared by all ranges of a history. */
type FetchState = { sizer: RangeSizer; style: SenderStyle }

/** A range's logs with their blocks and transactions, checked. */
export type CheckedRange = FetchedLogs &
  FetchedBlocks & {
    /** Whether other providers returned the same logs and senders. */
    isConfirmed: boolean
    /** Providers of the parts that no other provider confirmed. */
    soleProviders: readonly Provider[]
  }

/**
 * Fetches and checks a range, in several parts if providers demand narrower requests. If the answers are unusable or
 * inconsistent, it fetches the whole range from one provider after another.
 *
 * @throws the last provider's RpcError, UnusableAnswerError or InconsistentRangeError, when no provider is consistent
 */
export async function fetchCheckedRange(
  source: HistorySource,
  range: BlockRange,
  state: FetchState,
): Promise<CheckedRange[]> {
  const { providers, trusted } = source.pool
  const triedAlone = new Set<Provider>()
  let current = source
  while (true) {
    try {
      return await fetchParts(current, range, state)
    } catch (error) {
      if (error instanceof DiscreditedRangeError && triedAlone.size === 0) continue
      const next = trusted().find((provider) => !triedAlone.has(provider))
      if (next === undefined && error instanceof DiscreditedRangeError)
        throw new InconsistentRangeError(error.message, { cause: error })
      if (next === undefined || !mayDiffer(error, triedAlone)) throw error
      triedAlone.add(next)
      current = { ...source, exclude: new Set(providers.filter((provider) => provider !== next)) }
    }
  }
}

/** Whether another provider may succeed. An RpcError of the whole pool already means that all of them failed. */
function mayDiffer(error: unknown, triedAlone: ReadonlySet<Provider>): boolean {
  if (error instanceof RpcError) return triedAlone.size > 0
  const kinds = [UnusableAnswerError, InconsistentRangeError, DiscreditedRangeError]
  return kinds.some((kind) => error instanceof kind)
}

async function fetchParts(
  source: HistorySource,
  range: BlockRange,
  state: FetchState,
): Promise<CheckedRange[]> {
  const checked: CheckedRange[] = []
  for (const part of await fetchLogs(source, range, state.sizer))
    checked.push(await completePart(source, part, state))
  return checked
}

async function completePart(
  source: HistorySource,
  part: FetchedLogs,
  { style }: FetchState,
): Promise<CheckedRange> {
  const areLogsConfirmed = await compareProviders(source, part)
  await probeQuietBlocks(source, part, QUIET_PROBES)
  const { soleProviders: ofSenders, ...fetched } = await fetchBlocksOfLogs(source, part.logs, style)
  checkRangeConsistency({ ...part, ...fetched }, source.filter)
  const soleProviders = areLogsConfirmed ? ofSenders : [part.provider, ...ofSenders]
  return { ...part, ...fetched, soleProviders, isConfirmed: soleProviders.length === 0 }
}
