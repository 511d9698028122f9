import { UnusableAnswerError } from '../../chain/history/historyErrors.ts'
import type { RangeSizer } from '../../chain/history/rangeSizer.ts'
import type { BlockRange } from '../../chain/history/readLogs.ts'
import type { Provider } from '../../chain/rpcPool/provider.ts'
import { RpcError } from '../../chain/rpcPool/rpcError.ts'
import { mapInParallel } from '../../process/mapInParallel.ts'
import { checkRangeConsistency, InconsistentRangeError } from './checkRangeConsistency.ts'
import { compareProviders, DiscreditedRangeError } from './compareProviders.ts'
import { compareSenders, unreadyFor } from './crossCheckTransactionSenders.ts'
import { type FetchedBlocks, type FetchStyle, fetchBlocksOfLogs } from './fetchBlocksOfLogs.ts'
import {
  CONCURRENT_EXCHANGES,
  fetchReceiptLogs,
  isDenseIn,
  type ReceiptLogs,
  requestReceiptLogs,
} from './fetchReceiptLogs.ts'
import { type FetchedLogs, fetchLogs, type HistorySource } from './historySource.ts'
import { probeQuietBlocks } from './probeQuietBlocks.ts'

/** Blocks without logs to check in each range. */
const QUIET_PROBES = 16

/** Shared by all ranges of a history. */
type FetchState = { sizer: RangeSizer; style: FetchStyle }

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
  const ofReceipts = await fetchReceiptLogs(source, range, state)
  if (ofReceipts !== null) return [await checkReceiptLogs(source, range, ofReceipts)]
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
  style.isDense = isDenseIn(part)
  const soleProviders = areLogsConfirmed ? ofSenders : [part.provider, ...ofSenders]
  return { ...part, ...fetched, soleProviders, isConfirmed: soleProviders.length === 0 }
}

/** The receipts of all blocks are proven, so there are no blocks to probe. */
async function checkReceiptLogs(
  source: HistorySource,
  range: BlockRange,
  parts: readonly ReceiptLogs[],
): Promise<CheckedRange> {
  const sole = await mapInParallel(parts, CONCURRENT_EXCHANGES, async (part) =>
    (await isConfirmed(source, part)) ? [] : [part.provider],
  )
  const soleProviders = sole.flat()
  const whole = {
    ...(parts.at(-1) as ReceiptLogs),
    ...range,
    logs: parts.flatMap(({ logs }) => logs),
    blocks: parts.flatMap(({ blocks }) => blocks),
    transactions: parts.flatMap(({ transactions }) => transactions),
  }
  checkRangeConsistency(whole, source.filter)
  return { ...whole, soleProviders, isConfirmed: soleProviders.length === 0 }
}

/** Compares the logs and senders with the receipts of a second provider, or only the logs if it gives none. */
async function isConfirmed(source: HistorySource, part: ReceiptLogs): Promise<boolean> {
  const { pool } = source
  const second = await requestSecond(source, part)
  const areLogsConfirmed = await compareProviders(source, part, second)
  if (second === null) return false
  const areSendersConfirmed = await compareSenders(pool, withSenders(part), withSenders(second))
  return areLogsConfirmed && areSendersConfirmed
}

async function requestSecond(
  source: HistorySource,
  part: ReceiptLogs,
): Promise<ReceiptLogs | null> {
  const { pool } = source
  const exclude = unreadyFor(pool, part.blocks.length + 1, part.provider)
  if (exclude.size === pool.providers.length) return null
  try {
    return await requestReceiptLogs(source, part, { areProven: false, exclude })
  } catch (error) {
    if (error instanceof RpcError || error instanceof UnusableAnswerError) return null
    throw error
  }
}

function withSenders({ transactions, provider }: ReceiptLogs) {
  return { senders: new Map(transactions.map(({ hash, from }) => [hash, from])), provider }
}
