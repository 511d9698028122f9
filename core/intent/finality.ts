import type { KnownIntent } from '../../src/intent/intentFacts.ts'
import { findValidDelivery } from './findWinnersDelivery.ts'

/** How deep something is below its chain's head: at the tip, behind `safe`, behind `finalized`. */
export type Finality = 'latest' | 'safe' | 'finalized'

/** A chain's depth marks by block number; null where they aren't known. */
export type DepthMarks = { safeBlock: number | null; finalizedBlock: number | null }

/** Finality of a block. Marks include their own block. */
export function deriveBlockFinality(blockNumber: number, marks: DepthMarks | undefined): Finality {
  if (!marks) return 'latest'
  if (marks.finalizedBlock !== null && blockNumber <= marks.finalizedBlock) return 'finalized'
  return marks.safeBlock !== null && blockNumber <= marks.safeBlock ? 'safe' : 'latest'
}

/**
 * Finality of an intent's record: that of the shallowest event behind its status, which are the
 * latest event of its source chain and, unless it has ended there, its valid delivery.
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
