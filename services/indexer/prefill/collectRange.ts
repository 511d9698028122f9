import type { RangePace } from '../../chain/history/rangePace.ts'
import type { Provider } from '../../chain/rpcPool/provider.ts'
import { auditRange, DiscreditedRangeError } from './auditRange.ts'
import type { BlockRange } from './blockRange.ts'
import { checkRange, InconsistentRangeError } from './checkRange.ts'
import type { RangeRows } from './commitRange.ts'
import { type BlockStyle, fetchBlocks } from './fetchBlocks.ts'
import { type FetchContext, type FetchedLogs, fetchLogs } from './fetchLogs.ts'
import { probeQuietBlocks } from './probeQuietBlocks.ts'

/** Blocks without logs that are looked at in each range. */
const quietProbes = 16

export type CollectContext = FetchContext & {
  chainId: number
  fragmentIds: readonly string[]
  pace: RangePace
  style: BlockStyle
}

/** A range's rows, and who vouches for its logs. */
export type CollectedRange = RangeRows & {
  /** The provider of the logs, where no second one could be asked; undefined when two agreed. */
  onlySource: Provider | undefined
}

/**
 * Everything that Ponder's cache holds about a range, checked; in several parts when providers insist on
 * narrower requests.
 *
 * @throws RpcError when no provider is left that gives consistent answers.
 */
export async function collectRange(
  context: CollectContext,
  order: BlockRange,
): Promise<CollectedRange[]> {
  const inconsistent = new Set<Provider>()
  while (true) {
    const parts = await fetchLogs(context, order, context.pace, inconsistent)
    context.pace.learn({
      blocks: order.to - order.from + 1,
      logs: parts.reduce((sum, part) => sum + part.logs.length, 0),
    })
    let asked = parts[0] as FetchedLogs
    try {
      const rows: CollectedRange[] = []
      for (const part of parts) {
        asked = part
        rows.push(await completePart(context, part))
      }
      return rows
    } catch (error) {
      if (error instanceof DiscreditedRangeError) continue
      if (!(error instanceof InconsistentRangeError)) throw error
      inconsistent.add(asked.provider)
      if (context.pool.trusted().every((provider) => inconsistent.has(provider))) throw error
    }
  }
}

async function completePart(context: CollectContext, part: FetchedLogs): Promise<CollectedRange> {
  const compared = await auditRange(context, part)
  await probeQuietBlocks(context, part, quietProbes)
  const found = await fetchBlocks(context, part.logs, context.style)
  checkRange({ logs: part.logs, ...found })
  const { ponder, chainId, fragmentIds } = context
  return {
    chainId,
    fragmentIds,
    onlySource: compared ? undefined : part.provider,
    from: part.from,
    to: part.to,
    tables: {
      blocks: found.blocks.map((block) => ponder.encodeBlock({ block, chainId })),
      transactions: found.transactions.map((transaction) =>
        ponder.encodeTransaction({ transaction, chainId }),
      ),
      logs: part.logs.map((log) => ponder.encodeLog({ log, chainId })),
    },
  }
}
