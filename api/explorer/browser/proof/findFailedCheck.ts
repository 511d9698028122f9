import type { ProofErrorCode } from '../../../../core/proof/proofError.ts'

/** The checks of each event, in the verifier's order. */
export const CHECKS = {
  header: 'Header hashes to the block’s hash',
  receipt: 'Receipt is in the header’s trie',
  log: 'Receipt has this log, from the bridge',
  event: 'Log is the event claimed',
} as const

export type CheckName = keyof typeof CHECKS

const CHECK_OF: Partial<Record<ProofErrorCode, CheckName>> = {
  HEADER_INCOMPLETE: 'header',
  HEADER_FIELD_INVALID: 'header',
  HEADER_HASH_MISMATCH: 'header',
  ROOT_MISMATCH: 'receipt',
  PROOF_BROKEN: 'receipt',
  PROOF_NOT_CANONICAL: 'receipt',
  RECEIPT_MISMATCH: 'receipt',
  RECEIPT_TYPE_UNKNOWN: 'log',
  RECEIPT_INVALID: 'log',
  LOG_MISSING: 'log',
  LOG_OF_ANOTHER_CONTRACT: 'log',
}

/** The check that failed; those before it passed. */
export function findFailedCheck(code: ProofErrorCode): CheckName {
  return CHECK_OF[code] ?? 'event'
}
