/** Why recipients can't be stored. */
export type BundleErrorCode =
  /** The intent has other recipients, and nothing allows them to be replaced. */
  | 'ALREADY_STORED'
  /** Different ones came without a signature: the sender must sign, or cancel. */
  | 'RECIPIENTS_DISPUTED'
  /** Only the sender may name them. */
  | 'SIGNATURE_REQUIRED'
  /** The ciphertext, or its ephemeral key, was used before. */
  | 'CIPHERTEXT_REUSED'
  /** The intent accepts no more recipients. */
  | 'INTENT_CLOSED'
  /** A replacement would need another fee tier than the anchored one. */
  | 'FEE_TIER_FIXED'
  /** A replacement has more recipients than the anchor allows. */
  | 'RECIPIENT_CLASS_FIXED'
  /** The lengths, the amounts or their sum are invalid. */
  | 'BUNDLE_INVALID'
  /** A recipient that can't be paid, or that would lose what it is paid. */
  | 'RECIPIENT_INVALID'
  /** A registered wallet would be paid on a chain that isn't configured. */
  | 'DESTINATION_NOT_FOLLOWED'
  /** The intent's fee doesn't pay the gas of so many recipients at Safes. */
  | 'AMOUNT_TOO_SMALL'
  /** Too much metadata, or too many viewers. */
  | 'METADATA_TOO_LARGE'
  /** The stored bundle can't be opened: the enclave lacks its key. */
  | 'BUNDLE_UNREADABLE'

/** Says what is wrong without naming recipients or amounts, since the message may reach a log. */
export class BundleError extends Error {
  override name = 'BundleError'
  readonly code: BundleErrorCode
  /** Where in the bundle, such as `recipients.2`. */
  readonly field: string | null
  /** What is wrong there. */
  readonly reason: string

  /** Facts for programs; never the bundle's recipients or amounts. */
  readonly facts: Record<string, string>

  constructor(
    code: BundleErrorCode,
    reason: string,
    field: string | null = null,
    facts: Record<string, string> = {},
  ) {
    super(field === null ? reason : `${field}: ${reason}`)
    this.code = code
    this.field = field
    this.reason = reason
    this.facts = facts
  }
}
