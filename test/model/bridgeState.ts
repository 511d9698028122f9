import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { BlobAt, Catalogue, CreationName } from './catalogue.ts'
import type { Content, KeyName, Message } from './messages.ts'
import type { SolverName } from './place.ts'

/** What the source bridge stores of the intent under test. */
export type Intent = {
  creation: CreationName
  phase: 'open' | 'deposited' | 'settled' | 'cancelled' | 'refunded'
  createdAt: number
  feeBps: number
  recipientClass: number
  quorum: number
  /** Those that `blobsHash` commits to. */
  blobs: readonly BlobAt[]
  named: boolean
  asked: boolean
  revealed: boolean
  solver: SolverName | null
  amountB: number
  fillDeadline: number
  /** Keys that had been revoked when somebody deposited. */
  revokedBefore: readonly KeyName[]
  /** Whether honest enclaves signed for all that enclaves signed for: nothing that the contract knows. */
  isHonest: boolean
  /** By which call it was refunded: no part of the contract's storage either. */
  refundedBy: 'undelivered' | 'refund' | null
}

/** The source chain at a block. Times in seconds. */
export type Source = {
  time: number
  intent: Intent | null
  /** Since when keys are revoked. */
  revoked: Readonly<Partial<Record<KeyName, number>>>
}

/** A call of the source bridge or its registry. */
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

/** Rules of the contract that mutants break. */
export type BridgeRules = {
  /** Blobs count only if they come before `firmAt`. */
  freezesBlobs: boolean
  /** An anchor counts only over the blobs that it was signed over. */
  checksBlobsBefore: boolean
  /** Signatures must be of different operators. */
  operatorsDiffer: boolean
  /** Nothing is cancelled from the deposit on. */
  keepsDeposits: boolean
}

export const BRIDGE_RULES: BridgeRules = {
  freezesBlobs: true,
  checksBlobsBefore: true,
  operatorsDiffer: true,
  keepsDeposits: true,
}

/** A call is refused, by the contract's own word for it. */
export class Refused extends Error {
  constructor(code: string) {
    // Millions are made, and where doesn't matter.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(code)
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** Where the reference stands. */
export type Bridge = { catalogue: Catalogue; rules: BridgeRules; quorum: number }
