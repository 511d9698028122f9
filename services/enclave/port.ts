import type { OperationName, RequestOf, ResponseOf } from './messages.ts'

export type {
  BlobBindings,
  BlobContents,
  BlobProblem,
  BundleContents,
  OpenedBlob,
  OperationName,
  RequestOf,
  ResponseOf,
  Settlement,
} from './messages.ts'

type Operation<Name extends OperationName> = (request: RequestOf<Name>) => Promise<ResponseOf<Name>>

/**
 * The narrow port to everything that holds secrets, in the same process (`createEnclave`) or over a
 * socket (`connectEnclave`). Every operation rejects with an EnclaveError and nothing else; the
 * fields of requests and answers are described in `messages.ts`.
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
  /** Seals a recovery blob to the current key: 512·n bytes, different each time. `BLOB_TOO_LARGE`. */
  sealBlob: Operation<'sealBlob'>
  /** Opens a recovery blob and compares its bindings. What is wrong with a blob is an answer, no error. */
  openBlob: Operation<'openBlob'>
  /** `openBlob` for many, answers in the order of the questions. */
  openBlobs: Operation<'openBlobs'>
  /** Encrypts bytes to somebody else's key. */
  sealFor: Operation<'sealFor'>
  /**
   * Attests that the winner delivered: proofs against block headers which the enclave's own
   * witnesses find canonical, and the recipients of the blob that the chain holds. Rejects with
   * `EVIDENCE_INVALID`, `BLOCK_NOT_CANONICAL`, `NOT_CONFIRMED`, `WITNESS_UNREACHABLE`,
   * `RECIPIENTS_UNKNOWN`, `NOT_THE_WINNERS_DELIVERY` or `RECIPIENTS_NOT_PAID`.
   */
  attestSettlement: Operation<'attestSettlement'>
  /** Signs as the relayer's account what its policy allows, else `TRANSACTION_NOT_ALLOWED`. */
  signTransaction: Operation<'signTransaction'>
  /** Signs `KeyPossession` for the chain's key registry, so that the attester can be registered. */
  provePossession: Operation<'provePossession'>
  /** A recipient's public keys, against its signature: `SIGNATURE_INVALID`. The same on every call. */
  registerRecipient: Operation<'registerRecipient'>
  /** What stands for recipients where their wallets must not be read. */
  tagRecipients: Operation<'tagRecipients'>
  /** What stands for a caller, likewise. */
  tagCaller: Operation<'tagCaller'>
  /** The stealth address of one delivery, and its Safe. The same on every call. */
  deriveStealth: Operation<'deriveStealth'>
  /** Whose, and of which root, Safes are that deliveries were made to. */
  findStealths: Operation<'findStealths'>
  /** The deliveries of tickets, for whoever is to be paid by them. */
  openTickets: Operation<'openTickets'>
  /** The private key of a stealth address, for its owner: `SIGNATURE_INVALID`, `NOT_YOUR_ADDRESS`, `CHALLENGE_REQUIRED`. */
  exportStealthKey: Operation<'exportStealthKey'>
  /** Who the enclave is, bound to a nonce. */
  quote: Operation<'quote'>
}
