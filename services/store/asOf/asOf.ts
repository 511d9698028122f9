import type { Cutoffs } from '../../../core/intent/asOfCutoff.ts'
import type { ChainsNow } from '../chains/chainStateCache.ts'

/** An earlier moment at which to look: which part of history counts, and the chains as they stood there. */
export type AsOf = {
  cutoffs: Cutoffs
  /** The chains that are ready, their heads at the cutoffs. Marks of finality are the present ones. */
  chains: ChainsNow
}

export type AskedBlock = { chainId: number; blockNumber: number }

/** Why an earlier moment can't be looked at. */
export type AsOfProblem =
  /** No chain of this id is followed here. */
  | 'unknown_chain'
  /** One chain was named twice, or none at all. */
  | 'bad_choice'
  /** The chain is followed, but not indexed yet. */
  | 'not_ready'
  /** The block is above the indexed head. */
  | 'not_indexed'
  /** The block is below the one in which the bridge was deployed. */
  | 'before_start'
  /** No node gives the block's time. */
  | 'no_time'
  /** The nodes' block and the indexed events contradict each other. */
  | 'reorg'

/** An earlier moment can't be looked at; `details` is for programs. */
export class AsOfError extends Error {
  override name = 'AsOfError'
  readonly problem: AsOfProblem
  readonly details: Record<string, string | number>

  constructor(
    problem: AsOfProblem,
    message: string,
    details: Record<string, string | number> = {},
  ) {
    super(message)
    this.problem = problem
    this.details = details
  }
}
