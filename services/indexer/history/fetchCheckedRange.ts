import { UnusableAnswerError } from '../../chain/history/historyError.ts'
import type { RangeSizer } from '../../chain/history/rangeSizer.ts'
import type { BlockRange } from '../../chain/history/readLogs.ts'
import type { Provider } from '../../chain/rpcPool/provider.ts'
import { RpcError } from '../../chain/rpcPool/rpcError.ts'
import { checkRangeConsistency, InconsistentRangeError } from './checkRangeConsistency.ts'
import { compareProviders, DiscreditedRangeError } from './compareProviders.ts'
import { type FetchedBlocks, fetchBlocks, type SenderStyle } from './fetchBlocks.ts'
import { type FetchedLogs, fetchLogs, type HistorySource } from './historySource.ts'
import { probeQuietBlocks } from './probeQuietBlocks.ts'

/** Blocks without logs that are looked at in each range. */
const quietProbes = 16

/** What ranges of one history share. */
type FetchState = { sizer: RangeSizer; style: SenderStyle }

/** A range's logs with their blocks and transactions, checked. */
export type CheckedRange = FetchedLogs &
  FetchedBlocks & {
    /** Whether others gave the same logs and senders. */
    isConfirmed: boolean
    /** The providers that alone gave some part. */
    soleGivers: readonly Provider[]
  }

/**
 * What the providers give for a range, checked; in several parts when they insist on narrower requests. Where it
 * can't be read or doesn't hold together, one provider after the other is asked for all of it alone.
 *
 * @throws RpcError, UnusableAnswerError or InconsistentRangeError of the last provider, when none gives consistent answers.
 */
export async function fetchCheckedRange(
  source: HistorySource,
  range: BlockRange,
  state: FetchState,
): Promise<CheckedRange[]> {
  const { providers, trusted } = source.pool
  const alone = new Set<Provider>()
  let asked = source
  while (true) {
    try {
      return await fetchParts(asked, range, state)
    } catch (error) {
      if (error instanceof DiscreditedRangeError && alone.size === 0) continue
      const next = trusted().find((provider) => !alone.has(provider))
      if (next === undefined && error instanceof DiscreditedRangeError)
        throw new InconsistentRangeError(error.message, { cause: error })
      if (next === undefined || !mayDiffer(error, alone)) throw error
      alone.add(next)
      asked = { ...source, exclude: new Set(providers.filter((provider) => provider !== next)) }
    }
  }
}

/** Whether another provider might give what this one doesn't. A pool's silence is that of all of them. */
function mayDiffer(error: unknown, alone: ReadonlySet<Provider>): boolean {
  if (error instanceof RpcError) return alone.size > 0
  const ofOne = [UnusableAnswerError, InconsistentRangeError, DiscreditedRangeError]
  return ofOne.some((kind) => error instanceof kind)
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
  const isSameElsewhere = await compareProviders(source, part)
  await probeQuietBlocks(source, part, quietProbes)
  const { soleGivers: ofSenders, ...found } = await fetchBlocks(source, part.logs, style)
  checkRangeConsistency({ ...part, ...found }, source.filter)
  const soleGivers = isSameElsewhere ? ofSenders : [part.provider, ...ofSenders]
  return { ...part, ...found, soleGivers, isConfirmed: soleGivers.length === 0 }
}
