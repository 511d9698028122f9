/** Why the enclave refused. Codes are stable and reveal no secret. */
const ENCLAVE_ERROR_CODES = [
  // The request
  'REQUEST_INVALID',
  'UNKNOWN_OPERATION',
  'CHAIN_NOT_CONFIGURED',
  // Bundles and blobs
  'DECRYPTION_FAILED',
  'BUNDLE_MALFORMED',
  'RECIPIENTS_INVALID',
  'METADATA_TOO_LARGE',
  'BUNDLE_OF_ANOTHER_INTENT',
  'BLOB_TOO_LARGE',
  'KEY_MISSING',
  'RECIPIENTS_UNKNOWN',
  'SIGNATURE_REQUIRED',
  'TOO_EARLY',
  'CLASS_EXCEEDED',
  'FEE_TIER_FIXED',
  'N_TOO_LOW',
  'NOTHING_TO_APPEND',
  'TOO_MANY_BLOBS',
  // Proofs
  'EVIDENCE_INVALID',
  'PROVIDERS_UNREACHABLE',
  'BLOCK_NOT_AGREED',
  'NOT_CONFIRMED',
  'WRONG_PHASE',
  // Deliveries
  'NO_SEALING_KEY',
  'NOT_DELIVERED',
  'DELIVERED',
  // Keys
  'NO_ROOT',
  'NO_NEXT_KEY',
  'HANDOVER_REFUSED',
  // Transactions
  'TRANSACTION_NOT_ALLOWED',
  // Recipients
  'SIGNATURE_INVALID',
  'NOT_YOUR_ADDRESS',
  'CHALLENGE_REQUIRED',
  // Scheduled orders
  'ORDER_INVALID',
  'SIGNER_MISMATCH',
  'MESSAGE_REFUSED',
  // Connecting to the enclave
  'ENCLAVE_UNREACHABLE',
  'ENCLAVE_BUSY',
  'ENCLAVE_FAILED',
] as const

export type EnclaveErrorCode = (typeof ENCLAVE_ERROR_CODES)[number]

export function isEnclaveErrorCode(code: string): code is EnclaveErrorCode {
  return (ENCLAVE_ERROR_CODES as readonly string[]).includes(code)
}

/** Codes after which the same request may succeed later. */
const RETRYABLE: ReadonlySet<EnclaveErrorCode> = new Set([
  'PROVIDERS_UNREACHABLE',
  'BLOCK_NOT_AGREED',
  'NOT_CONFIRMED',
  'TOO_EARLY',
  'ENCLAVE_UNREACHABLE',
  'ENCLAVE_BUSY',
])

/**
 * The only error that leaves the enclave. It has a code, and at most a `field` that names a position in the request,
 * but no value, cause or free message, since those could contain a secret.
 */
export class EnclaveError extends Error {
  override readonly name = 'EnclaveError'
  readonly code: EnclaveErrorCode
  /** Position in the request or bundle, such as `amounts.2`; only for malformed input. */
  readonly field: string | undefined

  constructor(code: EnclaveErrorCode, field?: string) {
    super(field === undefined ? code : `${code} (${field})`)
    this.code = code
    this.field = field
  }

  /** Whether the same request may succeed later. */
  get isRetryable(): boolean {
    return RETRYABLE.has(this.code)
  }
}
