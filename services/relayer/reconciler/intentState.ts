import type { Clocks } from '../../../core/intent/clocks.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { Delivery, KnownIntent } from '../../../src/intent/facts.ts'
import type { BridgeTerms } from '../../../src/intent/terms.ts'
import type { TransactionState } from '../../chain/transactions/transaction.ts'

/** The kinds of effects. */
export const EFFECT_KINDS = [
  'anchor',
  'append',
  'reveal',
  'settle',
  'undelivered',
  'refund',
] as const
export type EffectKind = (typeof EFFECT_KINDS)[number]

/** A bundle on its way to the chain. */
export type Proposal = { digest: Hex; sealed: Hex; isSigned: boolean }

/** One effect to cause for an intent. */
export type Effect =
  /** Have an enclave fix fee tier and class for the named recipients, and anchor them on chain. */
  | { kind: 'anchor'; paramsHash: Hex; blobsHash: Hex; proposal: Proposal | null }
  /** Put on chain what became known after the anchor. */
  | { kind: 'append'; paramsHash: Hex; blobsHash: Hex; proposal: Proposal | null }
  /** Reveal the recipients on chain to a winner that has asked for them there. */
  | { kind: 'reveal'; paramsHash: Hex; solver: Hex; depositBlock: number }
  /** Have the delivery attested, and the winner paid. */
  | { kind: 'settle'; paramsHash: Hex; depositBlock: number; deliveries: readonly Delivery[] }
  /** Have it attested that nothing was delivered in time, and the sender paid back. */
  | { kind: 'undelivered'; paramsHash: Hex; depositBlock: number }
  /** Refund the sender, since nobody else did. */
  | { kind: 'refund'; paramsHash: Hex }

/** One of our transactions about the intent. */
export type EffectTransaction = {
  id: number
  state: TransactionState
  round: number
  problem: string | null
  blockNumber: number | null
  /** Unix milliseconds. */
  changedAt: number
}

/** The progress of an effect: a row of `app.reaction`. */
export type Reaction = {
  kind: EffectKind
  state: 'waiting' | 'refused' | 'done'
  reason: string | null
  /** What exactly it was refused or found done for; that counts only as long as it stays the same. */
  subject: string | null
  attempts: number
  /** Unix milliseconds; null: at any time. */
  nextTryAt: number | null
}

/** All that decides which effects an intent needs. */
export type IntentState = {
  facts: KnownIntent
  /** Heads of the indexed chains. */
  clocks: Clocks
  /** Of the source chain's bridge. */
  terms: BridgeTerms
  /** What was sent for exactly this creation; null without, or while it is disputed. */
  proposal: Proposal | null
  /** Whether the chain has it, by an anchor or append that was signed for it. */
  isCarried: boolean
  /** Whether the sender has named recipients by its own call. */
  isNamed: boolean
  /** Block of the winner's deposit; null without one. */
  depositBlock: number | null
  /** By `transactionName`. */
  transactions: ReadonlyMap<string, EffectTransaction>
  reactions: ReadonlyMap<EffectKind, Reaction>
}

/** Key of `transactions`. */
export function transactionName(kind: string, effect: string): string {
  return `${kind} ${effect}`
}
