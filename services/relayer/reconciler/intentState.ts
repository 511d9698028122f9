import type { Clocks } from '../../../core/intent/clocks.ts'
import type { KnownIntent } from '../../../src/intent/facts.ts'
import type { BridgeTerms } from '../../../src/intent/terms.ts'
import type { TransactionState } from '../../chain/transactions/transaction.ts'
import type { EffectKind, Proposal } from './effect.ts'

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
