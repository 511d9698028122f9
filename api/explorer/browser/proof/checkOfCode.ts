import type { ProofErrorCode } from '../../../../core/proof/proofError.ts'

/** What is checked of each event, in the order in which the verifier does it. */
export const CHECKS = {
  header: 'Header hashes to the block’s hash',
  receipt: 'Receipt is in the header’s trie',
  log: 'Receipt has this log, of the bridge',
  event: 'Log is the event it is said to be',
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

/** Which check of an event has failed: those before it have passed. */
export function checkOfCode(code: ProofErrorCode): CheckName {
  return CHECK_OF[code] ?? 'event'
}
