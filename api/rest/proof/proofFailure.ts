import type { RateLimitNotice } from '../../http/limits/rateLimit.ts'

/**
 * Why no proof can be given now, though the intent is known.
 * - `RPC_UNREACHABLE`: the chain's server doesn't answer, or doesn't have the block (yet).
 * - `REORG_IN_PROGRESS`: the chain has another block there than the index; one of them will follow.
 * - `PROOF_NOT_VERIFIED`: what the server answered doesn't hash to what the index has. Never served.
 * - `PROOF_BUSY`: too many proofs are being made.
 */
type ProofFailureCode =
  | 'RPC_UNREACHABLE'
  | 'REORG_IN_PROGRESS'
  | 'PROOF_NOT_VERIFIED'
  | 'PROOF_BUSY'

/** Seconds after which to retry. */
const RETRY_AFTER: Record<ProofFailureCode, number> = {
  RPC_UNREACHABLE: 5,
  REORG_IN_PROGRESS: 15,
  PROOF_NOT_VERIFIED: 60,
  PROOF_BUSY: 2,
}

/** A proof that can't be given now; answered as 503. */
export class ProofFailure extends Error {
  override readonly name = 'ProofFailure'
  readonly code: ProofFailureCode
  readonly retryAfterSeconds: number

  constructor(code: ProofFailureCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.retryAfterSeconds = RETRY_AFTER[code]
  }
}

/** A client has asked for more blocks than its share; answered as 429. */
export class ProofBudgetExceeded extends Error {
  override readonly name = 'ProofBudgetExceeded'
  readonly retryAfterSeconds: number
  readonly notice: RateLimitNotice

  constructor(retryAfterSeconds: number, notice: RateLimitNotice) {
    super('Too many proofs asked for')
    this.retryAfterSeconds = retryAfterSeconds
    this.notice = notice
  }
}
