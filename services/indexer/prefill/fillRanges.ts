import type { ClientBase } from 'pg'
import { mapConcurrently } from '../../chain/history/mapConcurrently.ts'
import { createRangePace, type RangePace } from '../../chain/history/rangePace.ts'
import type { ChainConfig } from '../../config/chains.ts'
import { type BlockRange, blocksIn } from './blockRange.ts'
import { type CollectContext, type CollectedRange, collectRange } from './collectRange.ts'
import { commitRange, revokeRange } from './commitRange.ts'
import type { PrefillProgress } from './prefillProgress.ts'

/** Ranges under way at once: together with the size of an answer this bounds the memory. */
const rangesAhead = 3

/** What a prefill has written so far. */
export type Written = {
  logs: number
  blocks: number
  transactions: number
  elapsedMs: number
  /** Parts that were committed, and how many of them a second provider confirmed log by log. */
  ranges: number
  confirmedRanges: number
}

export type FillContext = Omit<CollectContext, 'pace' | 'style'> & {
  chain: ChainConfig
  client: ClientBase
  /** Counts what is written; shared with the caller so that it survives a failure. */
  written: Written
  onProgress: ((progress: PrefillProgress) => void) | undefined
}

/**
 * Fetches and commits the missing ranges, in the chain's order.
 *
 * A provider may be found out after ranges were taken on its word alone (the second provider was down at the
 * time). Those are taken back, so that the next round fetches them from others.
 *
 * @returns whether everything that was committed still stands.
 */
export async function fillRanges(
  context: FillContext,
  missing: readonly BlockRange[],
): Promise<boolean> {
  const { client, written, chain, onProgress } = context
  const pace = createRangePace()
  const collect = { ...context, pace, style: { wholeBlocks: false } }
  const begun = performance.now() - written.elapsedMs
  const totalBlocks = missing.reduce((sum, range) => sum + blocksIn(range), 0)
  let doneBlocks = 0
  const unconfirmed: CollectedRange[] = []
  const parts = mapConcurrently(ordersOf(missing, pace), rangesAhead, (order) =>
    collectRange(collect, order),
  )
  try {
    for await (const ranges of parts) {
      for (const range of ranges) {
        context.signal?.throwIfAborted()
        await commitRange(client, range)
        if (range.onlySource) unconfirmed.push({ ...range, tables: noRows })
        doneBlocks += blocksIn(range)
        count(written, range)
        written.elapsedMs = performance.now() - begun
        const { chainId, name } = chain
        onProgress?.({ chainId, chain: name, totalBlocks, doneBlocks, ...written })
      }
    }
  } finally {
    const doubtful = unconfirmed.filter((range) => range.onlySource?.quarantine?.ground === 'logs')
    for (const range of doubtful) await revokeRange(client, range, context.query.addresses)
    unconfirmed.length = doubtful.length
  }
  return unconfirmed.length === 0
}

const noRows = { blocks: [], transactions: [], logs: [] }

function count(written: Written, { tables, onlySource }: CollectedRange): void {
  written.logs += tables.logs.length
  written.blocks += tables.blocks.length
  written.transactions += tables.transactions.length
  written.ranges += 1
  written.confirmedRanges += onlySource ? 0 : 1
}

/** Cuts the missing ranges into pieces of the width that the pace recommends at that moment. */
function* ordersOf(missing: readonly BlockRange[], pace: RangePace): Generator<BlockRange> {
  for (const range of missing) {
    for (let from = range.from; from <= range.to; ) {
      const to = Math.min(from + pace.width() - 1, range.to)
      yield { from, to }
      from = to + 1
    }
  }
}
