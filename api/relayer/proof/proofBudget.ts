import { ProofBudgetExceeded } from './proofFailure.ts'

/** How many blocks each client may have fetched for its proofs. */
export type ProofBudget = {
  /** Takes `blocks` from the client's budget, or throws ProofBudgetExceeded and takes nothing. */
  spend(client: string, blocks: number): void
}

export type BudgetTerms = {
  /** Blocks a client may spend at once. */
  burst: number
  /** Blocks that come back each second. */
  perSecond: number
  /** Clients remembered at most; the one that has been silent longest is forgotten first. */
  clients?: number
  /** Milliseconds from a clock that doesn't jump. */
  now?: () => number
}

/** A token bucket for each client, in blocks. A request never costs more than `burst`. */
export function createProofBudget(terms: BudgetTerms): ProofBudget {
  const { burst, perSecond, clients = 10_000, now = () => performance.now() } = terms
  const buckets = new Map<string, { left: number; at: number }>()
  return {
    spend(client, blocks) {
      const cost = Math.min(blocks, burst)
      const time = now()
      const known = buckets.get(client) ?? { left: burst, at: time }
      const left = Math.min(burst, known.left + ((time - known.at) / 1_000) * perSecond)
      if (left < cost) throw new ProofBudgetExceeded(Math.ceil((cost - left) / perSecond))
      buckets.delete(client)
      buckets.set(client, { left: left - cost, at: time })
      const [silent] = buckets.keys()
      if (buckets.size > clients && silent !== undefined) buckets.delete(silent)
    },
  }
}
