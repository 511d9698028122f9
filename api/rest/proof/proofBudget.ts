import { createRateLimit } from '../../http/limits/rateLimit.ts'
import { ProofBudgetExceeded } from './proofFailure.ts'

/** How many blocks each client may have fetched for its proofs. */
export type ProofBudget = {
  /** Takes `blocks` from the client's budget, or throws ProofBudgetExceeded and takes nothing. */
  spend(client: string, blocks: number): void
}

type BudgetTerms = {
  /** Blocks a client may spend at once. */
  burst: number
  /** Blocks refilled each second. */
  perSecond: number
  /** Clients remembered at most; the least recent is dropped first. */
  clients?: number
  /** Milliseconds from a clock that doesn't jump. */
  now?: () => number
}

/** A token bucket for each client, in blocks. A request never costs more than `burst`. */
export function createProofBudget({ clients = 10_000, ...terms }: BudgetTerms): ProofBudget {
  const blocksOf = createRateLimit('proof-blocks', { ...terms, capacity: clients })
  return {
    spend(client, blocks) {
      const passage = blocksOf.take(client, Math.min(blocks, terms.burst))
      if (!passage.allowed) throw new ProofBudgetExceeded(passage.retrySeconds, passage)
    },
  }
}
