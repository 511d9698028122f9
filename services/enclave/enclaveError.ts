/** Why the enclave refused. Codes are stable and say nothing that is secret. */
export const ENCLAVE_ERROR_CODES = [
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
  // Settlements
  'EVIDENCE_INVALID',
  'BLOCK_NOT_CANONICAL',
  'NOT_CONFIRMED',
  'WITNESS_UNREACHABLE',
  'RECIPIENTS_UNKNOWN',
  'NOT_THE_WINNERS_DELIVERY',
  'RECIPIENTS_NOT_PAID',
  // Transactions
  'TRANSACTION_NOT_ALLOWED',
  // Recipients
  'SIGNATURE_INVALID',
  'NOT_YOUR_ADDRESS',
  'CHALLENGE_REQUIRED',
  // The way to the enclave
  'ENCLAVE_UNREACHABLE',
  'ENCLAVE_BUSY',
  'ENCLAVE_FAILED',
] as const

export type EnclaveErrorCode = (typeof ENCLAVE_ERROR_CODES)[number]

/** Codes after which the same request may succeed later. */
const RETRYABLE: ReadonlySet<EnclaveErrorCode> = new Set([
  'NOT_CONFIRMED',
  'WITNESS_UNREACHABLE',
  'ENCLAVE_UNREACHABLE',
  'ENCLAVE_BUSY',
])

/**
 * The only error that leaves the enclave. It has a code, and at most a `field` that names a place in
 * the request: never a value, a cause or a message made of one, since those could hold a secret.
 */
export class EnclaveError extends Error {
  override readonly name = 'EnclaveError'
  readonly code: EnclaveErrorCode
  /** Where in the request or bundle, such as `amounts.2`; only for what is malformed. */
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
