/** Why a proof was refused. The code is stable, the message is for people. */
export type ProofErrorCode =
  // The document
  | 'TOO_LARGE'
  | 'MALFORMED_JSON'
  | 'DUPLICATE_KEY'
  | 'FORBIDDEN_KEY'
  | 'UNSUPPORTED_VERSION'
  | 'MALFORMED_PROOF'
  // The header
  | 'HEADER_INCOMPLETE'
  | 'HEADER_FIELD_INVALID'
  | 'HEADER_HASH_MISMATCH'
  | 'HEADERS_CONFLICT'
  // The trie
  | 'ROOT_MISMATCH'
  | 'PROOF_BROKEN'
  | 'PROOF_NOT_CANONICAL'
  | 'RECEIPT_MISMATCH'
  // The receipt
  | 'RECEIPT_TYPE_UNKNOWN'
  | 'RECEIPT_INVALID'
  | 'RECEIPTS_INCOMPLETE'
  // The event
  | 'LOG_MISSING'
  | 'LOG_OF_ANOTHER_CONTRACT'
  | 'NOT_A_BRIDGE_EVENT'
  | 'EVENT_MISMATCH'
  | 'EVENT_OF_ANOTHER_INTENT'
  | 'EVENT_OF_ANOTHER_CHAIN'
  | 'EVENT_REPEATED'
  | 'DOCUMENTS_CONFLICT'

/** A proof, or its input, is false or malformed. */
export class ProofError extends Error {
  override readonly name = 'ProofError'
  readonly code: ProofErrorCode

  constructor(code: ProofErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
