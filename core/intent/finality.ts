import type { KnownIntent } from '../../src/intent/intentFacts.ts'
import { findValidDelivery } from './findWinnersDelivery.ts'

/** A position below its chain's head: at the tip, or at or below `safe` or `finalized`. */
export type Finality = 'latest' | 'safe' | 'finalized'

/** A chain's safe and finalized block numbers; null when unknown. */
export type DepthMarks = { safeBlock: number | null; finalizedBlock: number | null }

/** A block's finality. The marks themselves are included. */
export function deriveBlockFinality(blockNumber: number, marks: DepthMarks | undefined): Finality {
  if (!marks) return 'latest'
  if (marks.finalizedBlock !== null && blockNumber <= marks.finalizedBlock) return 'finalized'
  return marks.safeBlock !== null && blockNumber <= marks.safeBlock ? 'safe' : 'latest'
}

/**
 * Finality of an intent's record: the lower one of the latest event of its source chain and, unless it has ended there,
 * its valid delivery.
 */
export function deriveFinality(
  facts: KnownIntent,
  marks: ReadonlyMap<number, DepthMarks>,
): Finality {
  const { source } = facts
  const onSource = deriveBlockFinality(source.updatedBlock, marks.get(source.sourceChainId))
  const delivery = source.phase === 'deposited' ? findValidDelivery(facts) : null
  if (!delivery) return onSource
  const onDestination = deriveBlockFinality(delivery.solvedBlock, marks.get(delivery.destChainId))
  return DEPTH[onDestination] < DEPTH[onSource] ? onDestination : onSource
}

const DEPTH: Record<Finality, number> = { latest: 0, safe: 1, finalized: 2 }
