import type { RangePace } from '../../chain/history/rangePace.ts'
import type { Provider } from '../../chain/rpcPool/provider.ts'
import { auditRange, DiscreditedRangeError } from './auditRange.ts'
import type { BlockRange } from './blockRange.ts'
import { checkRange, InconsistentRangeError } from './checkRange.ts'
import { type BlockStyle, type FetchedBlocks, fetchBlocks } from './fetchBlocks.ts'
import { type FetchContext, type FetchedLogs, fetchLogs } from './fetchLogs.ts'
import { probeQuietBlocks } from './probeQuietBlocks.ts'

/** Blocks without logs that are looked at in each range. */
const quietProbes = 16

export type CollectContext = FetchContext & { pace: RangePace; style: BlockStyle }

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
export async function collectRange(
  context: CollectContext,
  order: BlockRange,
): Promise<CheckedRange[]> {
  const inconsistent = new Set<Provider>()
  while (true) {
    const parts = await fetchLogs(context, order, context.pace, inconsistent)
    context.pace.learn({
      blocks: order.to - order.from + 1,
      logs: parts.reduce((sum, part) => sum + part.logs.length, 0),
    })
    let asked = parts[0] as FetchedLogs
    try {
      const checked: CheckedRange[] = []
      for (const part of parts) {
        asked = part
        checked.push(await completePart(context, part))
      }
      return checked
    } catch (error) {
      if (error instanceof DiscreditedRangeError) continue
      if (!(error instanceof InconsistentRangeError)) throw error
      inconsistent.add(asked.provider)
      if (context.pool.trusted().every((provider) => inconsistent.has(provider))) throw error
    }
  }
}

async function completePart(context: CollectContext, part: FetchedLogs): Promise<CheckedRange> {
  const isConfirmed = await auditRange(context, part)
  await probeQuietBlocks(context, part, quietProbes)
  const found = await fetchBlocks(context, part.logs, context.style)
  checkRange({ logs: part.logs, ...found })
  return { ...part, ...found, isConfirmed }
}
