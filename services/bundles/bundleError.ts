/** Why recipients can't be stored. */
export type BundleErrorCode =
  /** The intent has other recipients, and nothing allows them to be replaced. */
  | 'ALREADY_STORED'
  /** Nothing is stored yet, and only the sender may begin. */
  | 'SIGNATURE_REQUIRED'
  /** The ciphertext, or its ephemeral key, was used before. */
  | 'CIPHERTEXT_REUSED'
  /** The intent takes no recipients any more. */
  | 'INTENT_CLOSED'
  /** A replacement would need another fee tier than the anchored one. */
  | 'FEE_TIER_FIXED'
  /** Lengths, amounts or their sum. */
  | 'BUNDLE_INVALID'
  /** A recipient that can't be paid, or that would lose what it is paid. */
  | 'RECIPIENT_INVALID'
  /** A registered wallet would be paid on a chain that isn't configured. */
  | 'DESTINATION_NOT_FOLLOWED'
  /** More metadata, or more viewers, than are taken. */
  | 'METADATA_TOO_LARGE'
  /** What is stored can't be opened: its key is not in the enclave. */
  | 'BUNDLE_UNREADABLE'
  /** What is stored was for another creation: a reorg has given its id away. */
  | 'BUNDLE_OF_ANOTHER_CREATION'

/** Says what is wrong without saying who or how much: the message may reach a log. */
export class BundleError extends Error {
  override name = 'BundleError'
  readonly code: BundleErrorCode
  /** Where in the bundle, such as `recipients.2`. */
  readonly field: string | null

  constructor(code: BundleErrorCode, message: string, field: string | null = null) {
    super(field === null ? message : `${field}: ${message}`)
    this.code = code
    this.field = field
  }
}
