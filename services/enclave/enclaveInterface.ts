import type { OperationName, RequestOf, ResponseOf } from './messages.ts'

export type {
  BlobBindings,
  BlobContents,
  BlobProblem,
  BundleContents,
  IntentEvidence,
  OpenedBlob,
  OperationName,
  Replaced,
  RequestOf,
  ResponseOf,
  StorageEvidence,
} from './messages.ts'

type Operation<Name extends OperationName> = (request: RequestOf<Name>) => Promise<ResponseOf<Name>>

/**
 * The narrow port to everything that holds secrets, in the same process (`createEnclave`) or over a
 * socket (`connectEnclave`). Every operation rejects with an EnclaveError and nothing else; the
 * fields of requests and answers are described in `messages.ts`.
 *
 * Whatever takes evidence rejects with `EVIDENCE_INVALID` (its field says which part),
 * `PROVIDERS_UNREACHABLE`, `BLOCK_NOT_AGREED`, `NOT_CONFIRMED` (these three may pass) or
 * `CHAIN_NOT_CONFIGURED`; whatever needs an intent's recipients with `KEY_MISSING` or
 * `RECIPIENTS_UNKNOWN`; and with `WRONG_PHASE` when the intent isn't where it must be.
 */
export interface Enclave {
  /** The public halves of the keys in use. */
  publicKeys(): Promise<ResponseOf<'publicKeys'>>
  /**
   * Opens a sender's bundle and checks its rules: lengths equal, recipients not zero, amounts above
   * zero, `intentId`, `chainId` and `sender` inside it, where present, those of the intent. Rejects
   * with `DECRYPTION_FAILED`, `BUNDLE_MALFORMED`, `RECIPIENTS_INVALID`, `METADATA_TOO_LARGE` or
   * `BUNDLE_OF_ANOTHER_INTENT`.
   */
  openBundle: Operation<'openBundle'>
  /** Seals a recovery blob to the current key: different each time. `BLOB_TOO_LARGE`. */
  sealBlob: Operation<'sealBlob'>
  /** Opens a recovery blob and compares its bindings. A fault in a blob is an answer, not an error. */
  openBlob: Operation<'openBlob'>
  /** `openBlob` for many, answers in the order of the questions. */
  openBlobs: Operation<'openBlobs'>
  /**
   * Signs the anchor of an intent for which a bundle counts, the proposal included: fee tier, class
   * and registered wallets are decided here, once. `RECIPIENTS_UNKNOWN` without one,
   * `RECIPIENTS_INVALID`, `SIGNATURE_REQUIRED`, `SIGNATURE_INVALID`, `TOO_EARLY` (compat: may pass).
   */
  signAnchor: Operation<'signAnchor'>
  /**
   * Signs a further blob: a replacement by the sender's signature, metadata and viewers for the
   * bundle that counts, or its registered wallets. Besides the above `CLASS_EXCEEDED`,
   * `FEE_TIER_FIXED`, `N_TOO_LOW`, `NOTHING_TO_APPEND`.
   */
  signAppend: Operation<'signAppend'>
  /**
   * Seals the recipients to the winner: the same bytes from every enclave with the root.
   * `NO_SEALING_KEY`.
   */
  revealToWinner: Operation<'revealToWinner'>
  /** Attests that the winner paid the recipients revealed to it. `NOT_DELIVERED`. */
  attestSettlement: Operation<'attestSettlement'>
  /** Attests that it didn't in time. `DELIVERED`; `NOT_CONFIRMED` while the deadline isn't past. */
  attestNotDelivered: Operation<'attestNotDelivered'>
  /** Signs as the relayer's gas account what its policy allows, else `TRANSACTION_NOT_ALLOWED`. */
  signTransaction: Operation<'signTransaction'>
  /** Signs `Registration` for the chain's key registry, so that the attester can be registered. */
  provePossession: Operation<'provePossession'>
  /** Evidence about this program and its keys, for the chain's key registry. */
  quote: Operation<'quote'>
  /** Quote, measurement, configuration and keys, for anybody. */
  attestation(): Promise<ResponseOf<'attestation'>>
  /** A recipient's public keys and ticket, against its signature: `SIGNATURE_INVALID`. */
  registerRecipient: Operation<'registerRecipient'>
  /** Tags of recipients, for where their wallets must not be readable. */
  tagRecipients: Operation<'tagRecipients'>
  /** A caller's tag, likewise. */
  tagCaller: Operation<'tagCaller'>
  /** The stealth address of one delivery, and its Safe. The same on every call. */
  deriveStealth: Operation<'deriveStealth'>
  /** The same for many, under any root: for recovery. */
  deriveStealths: Operation<'deriveStealths'>
  /** The private key of a stealth address, for its owner: `SIGNATURE_INVALID`, `NOT_YOUR_ADDRESS`, `CHALLENGE_REQUIRED`. */
  exportStealthKey: Operation<'exportStealthKey'>
  /** Makes the next attestation key, or takes it into use: `NO_NEXT_KEY`. */
  rotateAttester: Operation<'rotateAttester'>
  /** Asks another enclave for the root. */
  requestRoot(): Promise<ResponseOf<'requestRoot'>>
  /** Gives the roots to an enclave whose key registries and operators vouch for: `HANDOVER_REFUSED`. */
  handOverRoot: Operation<'handOverRoot'>
  /** Takes the roots that another enclave gave: `DECRYPTION_FAILED`. */
  acceptRoots: Operation<'acceptRoots'>
  /** The key that scheduled orders are encrypted to, and the account that pays their gas. */
  orderKeys(): Promise<ResponseOf<'orderKeys'>>
  /**
   * Opens an order, verifies its owner's message and signs the terms that the vault funds it under.
   * `DECRYPTION_FAILED`, `ORDER_INVALID`, `SIGNATURE_INVALID`, `SIGNER_MISMATCH`, `MESSAGE_REFUSED`.
   */
  signFunding: Operation<'signFunding'>
  /** Signs a tranche of an order, with the blob that names the order's recipients. */
  signTranche: Operation<'signTranche'>
  /** Encrypts a tranche's recipients to the relayer, for `POST /store-recipients`. */
  sealTrancheBundle: Operation<'sealTrancheBundle'>
  /** Signs that an order may be closed: by its owner's message, or by the vault's storage. `WRONG_PHASE`. */
  signClose: Operation<'signClose'>
  /** Whom an order pays, for its owner. */
  readOrder: Operation<'readOrder'>
  /** Signs as the orders' gas account: calls of a vault and nothing else. `TRANSACTION_NOT_ALLOWED`. */
  signOrderTransaction: Operation<'signOrderTransaction'>
}
