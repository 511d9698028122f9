import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { BlobAt, Catalogue, CreationName } from './catalogue.ts'
import type { SolverName } from './deployment.ts'
import type { Content, KeyName, Message } from './messages.ts'

/** What the source bridge stores for the intent under test. */
export type Intent = {
  creation: CreationName
  phase: 'open' | 'deposited' | 'settled' | 'cancelled' | 'refunded'
  createdAt: number
  feeBps: number
  recipientClass: number
  quorum: number
  /** The blobs that `blobsHash` commits to. */
  blobs: readonly BlobAt[]
  named: boolean
  asked: boolean
  revealed: boolean
  solver: SolverName | null
  amountB: number
  fillDeadline: number
  /** Keys already revoked at the time of the deposit. */
  revokedBefore: readonly KeyName[]
  /** Whether honest enclaves made all enclave signatures. Known to the model only. */
  isHonest: boolean
  /** The call that refunded it. Known to the model only. */
  refundedBy: 'undelivered' | 'refund' | null
}

/** The source chain at a block. Times are in seconds. */
export type Source = {
  time: number
  intent: Intent | null
  /** Revoked keys and the time of revocation. */
  revoked: Readonly<Partial<Record<KeyName, number>>>
}

/** A call to the source bridge or its registry. */
export type Call =
  | { do: 'create'; creation: CreationName }
  | { do: 'anchor'; message: Extract<Message, { kind: 'anchor' }> }
  | { do: 'append'; message: Extract<Message, { kind: 'append' }> }
  | { do: 'name'; blob: number }
  | { do: 'bid'; by: SolverName; amountB: number }
  | { do: 'deposit'; by: SolverName; paramsHash: Hex; blobsHash: Hex; amountB: number }
  | { do: 'ask'; by: SolverName }
  | { do: 'reveal'; content: Content<'reveal'>; signers: readonly KeyName[] }
  | { do: 'settle'; content: Content<'settlement'>; signers: readonly KeyName[] }
  | { do: 'undelivered'; content: Content<'notDelivered'>; signers: readonly KeyName[] }
  | { do: 'cancel' }
  | { do: 'refund' }
  | { do: 'revoke'; key: KeyName }

/** Contract rules that mutants break. */
export type BridgeRules = {
  /** Blobs count only before `firmAt`. */
  freezesBlobs: boolean
  /** An anchor counts only over the blobs it was signed over. */
  checksBlobsBefore: boolean
  /** Signers must belong to different operators. */
  operatorsDiffer: boolean
  /** Nothing can be cancelled once it is deposited. */
  keepsDeposits: boolean
}

export const BRIDGE_RULES: BridgeRules = {
  freezesBlobs: true,
  checksBlobsBefore: true,
  operatorsDiffer: true,
  keepsDeposits: true,
}

/** The contract's error for a refused call. */
export class Refused extends Error {
  constructor(code: string) {
    // Skips the stack trace: millions are thrown and none is inspected.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(code)
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** The reference bridge's fixed data. */
export type Bridge = { catalogue: Catalogue; rules: BridgeRules; quorum: number }
