import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { ProvenSlots, StorageProofReader } from '../../chain/proof/storageProofReader.ts'
import { RpcError } from '../../chain/rpcPool/rpcError.ts'
import { EnclaveError } from '../../enclave/enclaveError.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import { type EvidenceKey, findEvidence, keepEvidence } from './evidenceRows.ts'

/** What to prove, and at which depth. */
type DeepEvidenceRequest = EvidenceKey & {
  slots: readonly Hex[]
  /** The first block that shows it. */
  from: number
  /** Unix seconds before which a block doesn't show it; the same for all evidence about one subject. */
  since?: number | undefined
  /** The chain's head, and the required blocks on top of the evidence's own. */
  head: number
  depth: number
}

/** The evidence, or how many blocks are missing until there can be any. */
export type ConfirmedStorageEvidence =
  | { is: 'deep'; evidence: ProvenSlots['evidence'] }
  | { is: 'early'; missingBlocks: number }

/**
 * Finds evidence of a block that is deep enough. Nodes that keep such a block's state prove it on request; others prove
 * only the latest block, whose evidence is stored until it is deep.
 *
 * @throws RpcError when no node proves anything
 */
export async function findConfirmedStorageEvidence(
  db: Db,
  reader: StorageProofReader,
  requested: DeepEvidenceRequest,
): Promise<ConfirmedStorageEvidence> {
  const { slots, from, since = 0, head, depth } = requested
  const kept = await findUsable(db, requested)
  if (kept && head - kept.blockNumber >= depth) return { is: 'deep', evidence: kept }
  for (const block of listOldBlocks(requested)) {
    // Some nodes answer too late, or with an internal error. Whether any can be reached shows below.
    const old = await reader.prove(slots, block).catch(asProblem)
    if ('problem' in old) {
      // The other old block would take as long.
      if (old.problem instanceof RpcError && old.problem.isTimeout) break
      continue
    }
    // An old block may rightly be too early. Its latest block shows whether a node's times are wrong.
    if (old.timestamp >= since) return { is: 'deep', evidence: old.evidence }
  }
  if (kept) return early(requested, kept.blockNumber)
  const { evidence, timestamp } = await reader.prove(slots, 'latest')
  const isOld = evidence.blockNumber < from
  // A node with a stale head would be asked again and again, while another may have the block.
  if (isFarAhead(evidence, requested) || isOld || timestamp < since) reader.doubt(evidence)
  if (isOld) return early(requested, from)
  if (timestamp < since) return early(requested, head)
  await keepEvidence(db, requested, evidence)
  return early(requested, evidence.blockNumber)
}

function asProblem(problem: unknown): { problem: unknown } {
  return { problem }
}

/**
 * Blocks by which the enclaves' providers may lag behind the index. If evidence were always only just deep enough for the
 * index, they would reject each new one like the last.
 */
const MOST_BEHIND = 16

/** Blocks that are deep enough, the best first: one that is deep enough for providers that lag as well. */
function listOldBlocks({ from, head, depth }: DeepEvidenceRequest): number[] {
  const last = head - depth
  return last < from ? [] : [...new Set([Math.max(from, last - MOST_BEHIND), last])]
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

/** Blocks by which a node may be ahead of the index. */
const MOST_AHEAD = 256

/** Evidence of a block that won't stay on the chain would never become deep. */
function isFarAhead({ blockNumber }: { blockNumber: number }, { head }: DeepEvidenceRequest) {
  return blockNumber > head + MOST_AHEAD
}

function early(
  { head, depth }: DeepEvidenceRequest,
  blockNumber: number,
): ConfirmedStorageEvidence {
  return { is: 'early', missingBlocks: Math.max(1, blockNumber + depth - head) }
}

/** Deletes stored evidence that the enclave rejected, or whose block isn't on the chain. */
export async function dropBadEvidence<Answer>(
  forget: () => Promise<void>,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof EnclaveError && isBad(error)) await forget()
    throw error
  }
}

const BAD: ReadonlySet<string> = new Set([
  'EVIDENCE_INVALID',
  'REQUEST_INVALID',
  'BLOCK_NOT_AGREED',
  'WRONG_PHASE',
])

/** Evidence that isn't confirmed becomes so, unless its block is too early: then the node gave a false time. */
function isBad({ code, field }: EnclaveError): boolean {
  return BAD.has(code) || (code === 'NOT_CONFIRMED' && field === 'fillDeadline')
}
