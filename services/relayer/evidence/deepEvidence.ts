import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { ProvenSlots, StorageReader } from '../../chain/proof/storageReader.ts'
import { RpcError } from '../../chain/rpcPool/rpcError.ts'
import type { Db } from '../../store/database/database.ts'
import { type EvidenceKey, findEvidence, keepEvidence } from './evidenceStore.ts'

/** What to prove, and how deep it has to be. */
type DeepEvidenceRequest = EvidenceKey & {
  slots: readonly Hex[]
  /** The first block that shows it. */
  from: number
  /** The chain's head, and blocks on top of the evidence's own. */
  head: number
  depth: number
}

/** The evidence, or how many blocks are missing until there can be some. */
export type DeepEvidence =
  | { is: 'deep'; evidence: ProvenSlots['evidence'] }
  | { is: 'early'; missingBlocks: number }

/**
 * Evidence of a block that is deep enough. Nodes that keep such a block's state give it on request;
 * others prove only the latest block, whose evidence is fetched at once and kept until it is deep.
 *
 * @throws RpcError when no node proves anything
 */
export async function deepEvidence(
  db: Db,
  reader: StorageReader,
  requested: DeepEvidenceRequest,
): Promise<DeepEvidence> {
  const { slots, from, head, depth } = requested
  const kept = await findUsable(db, requested)
  if (kept && head - kept.blockNumber >= depth) return { is: 'deep', evidence: kept }
  if (head - depth >= from) {
    const old = await reader.prove(slots, head - depth).catch(nullIfRefused)
    if (old) return { is: 'deep', evidence: old.evidence }
  }
  if (kept) return early(requested, kept.blockNumber)
  const { evidence } = await reader.prove(slots, 'latest')
  if (isFarAhead(evidence, requested)) reader.doubt()
  if (evidence.blockNumber < from) return early(requested, from)
  await keepEvidence(db, requested, evidence)
  return early(requested, evidence.blockNumber)
}

async function findUsable(
  db: Db,
  requested: DeepEvidenceRequest,
): Promise<ProvenSlots['evidence'] | null> {
  const kept = await findEvidence(db, requested)
  if (kept === null || kept.blockNumber < requested.from || isFarAhead(kept, requested)) return null
  const shown = new Set(kept.storageProofs.map(({ slot }) => slot))
  return requested.slots.every((slot) => shown.has(slot)) ? kept : null
}

/** Blocks by which a node may know more than the index does. */
const MOST_AHEAD = 256

/** Of a block that won't stay on the chain: it would never become deep. */
function isFarAhead({ blockNumber }: { blockNumber: number }, { head }: DeepEvidenceRequest) {
  return blockNumber > head + MOST_AHEAD
}

function early({ head, depth }: DeepEvidenceRequest, blockNumber: number): DeepEvidence {
  return { is: 'early', missingBlocks: Math.max(1, blockNumber + depth - head) }
}

/** A node that answers and has no such state; an unreachable one is reported. */
function nullIfRefused(error: unknown): null {
  const isAway = error instanceof RpcError && error.failure === 'unreachable'
  if (!(error instanceof RpcError) || isAway) throw error
  return null
}
