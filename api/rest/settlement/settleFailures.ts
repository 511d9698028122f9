import type { SettleVerdict } from '../../../services/relayer/settlement/judgeSettleRequest.ts'
import type { SettlementProgress } from '../../../services/relayer/settlement/settlementProgress.ts'
import { ApiError, BadRequestError, type ErrorCode, UnavailableError } from '../../http/apiError.ts'

const REFUSALS: Partial<Record<string, ErrorCode>> = {
  NOT_DELIVERED: 'RECIPIENTS_NOT_PAID',
  RECIPIENTS_INVALID: 'RECIPIENTS_UNKNOWN',
}

/** The failure of a settlement that is refused. */
export function refusalOf(code: string, message: string): ApiError {
  const known = (REFUSALS[code] ?? code) as ErrorCode
  if (known === 'NOT_THE_WINNER') return new ApiError(message, { status: 403, code: known })
  return new BadRequestError(message, known)
}

/** Reasons that lie with a dependency, and their messages. */
const AWAY: Record<string, [ErrorCode, string]> = {
  RPC_UNREACHABLE: ['RPC_UNREACHABLE', 'the chain’s nodes don’t answer'],
  PROVIDERS_UNREACHABLE: ['RPC_UNREACHABLE', 'the chain’s nodes don’t answer'],
  EVIDENCE_INVALID: ['PROOF_NOT_VERIFIED', 'the chain’s nodes gave no valid proof'],
  BLOBS_MISSING: ['PROOF_NOT_VERIFIED', 'the chain’s nodes lack the intent’s blobs'],
  QUORUM_MISSING: ['ENCLAVE_UNREACHABLE', 'too few enclaves attest the delivery'],
  REORG_IN_PROGRESS: ['REORG_IN_PROGRESS', 'the chain is being reorganised'],
  BLOCK_NOT_AGREED: ['REORG_IN_PROGRESS', 'the chain’s nodes disagree on the delivery’s block'],
  ENCLAVE_UNREACHABLE: ['ENCLAVE_UNREACHABLE', 'the enclave can’t be reached'],
  OUT_OF_GAS: ['RELAYER_OUT_OF_GAS', 'the relayer’s account is out of gas'],
}

/** The failure of a settlement that took too long. It continues without the caller. */
export function pendingFailure(verdict: SettleVerdict, progress: SettlementProgress): ApiError {
  if (verdict.is === 'early' && verdict.code === 'SOLVE_NOT_FOUND') {
    return new UnavailableError('the index hasn’t reached the delivery yet', 'INDEX_NOT_READY', 5)
  }
  if (verdict.is === 'early') {
    return new BadRequestError('the delivery needs more confirmations', verdict.code, {
      missingBlocks: verdict.missingBlocks,
    })
  }
  if (!progress.isAlive) {
    return new UnavailableError('the relayer’s reactions are not running', 'REACTIONS_STOPPED', 10)
  }
  for (const reason of [progress.senderProblem, progress.problem, progress.reaction?.reason]) {
    const away = AWAY[reason ?? '']
    if (away) return new UnavailableError(away[1], away[0], 5)
  }
  return new UnavailableError('the settlement is under way', 'SETTLEMENT_PENDING', 5)
}
