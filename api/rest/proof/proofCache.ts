import type { EventProof } from '../../../core/proof/proofDocument.ts'
import type { EventRow } from '../../../src/projection/rows.ts'

/** Verified proofs of events, the least recently used dropped first. */
type ProofCache = {
  get(row: EventRow): EventProof | undefined
  put(row: EventRow, proof: EventProof): void
  /** Bytes that the kept proofs take, about. */
  readonly size: number
}

/**
 * A cache of at most `maxBytes` bytes. A proof is kept under its block's hash: what a reorg
 * replaces has another key, so nothing in it can be out of date.
 */
export function createProofCache(maxBytes: number): ProofCache {
  const kept = new Map<string, { proof: EventProof; bytes: number }>()
  let size = 0
  return {
    get size() {
      return size
    },
    get(row) {
      const key = keyOf(row)
      const entry = kept.get(key)
      if (entry === undefined) return undefined
      kept.delete(key)
      kept.set(key, entry)
      return entry.proof
    },
    put(row, proof) {
      const key = keyOf(row)
      const bytes = JSON.stringify(proof).length
      if (kept.has(key) || bytes > maxBytes) return
      kept.set(key, { proof, bytes })
      size += bytes
      for (const [oldest, entry] of kept) {
        if (size <= maxBytes) return
        kept.delete(oldest)
        size -= entry.bytes
      }
    },
  }
}

function keyOf(row: EventRow): string {
  return `${row.chainId}:${row.blockHash}:${row.logIndex}`
}
