import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { Clocks } from '../../src/intent/clocks.ts'
import type { Delivery, KnownIntent } from '../../src/intent/facts.ts'
import type { BridgeTerms } from '../../src/intent/terms.ts'
import type { TransactionState } from '../chain/transactions/transaction.ts'

/** What can be done about an intent. */
export const EFFECT_KINDS = ['store', 'anchor', 'append', 'settle', 'refund'] as const
export type EffectKind = (typeof EFFECT_KINDS)[number]

/** One thing to do about an intent. */
export type Effect =
  /** Store the recipients that the creation's own blob holds. */
  | { kind: 'store'; blob: Hex }
  /** Fix the fee tier and put the recovery blob on chain, of the creation in this transaction. */
  | { kind: 'anchor'; creation: Hex }
  /** Put a blob on chain that became known after the anchor. */
  | { kind: 'append'; digest: Hex; sealed: Hex }
  /** Have the delivery attested, and the winner paid. */
  | { kind: 'settle'; delivery: Delivery }
  /** Give the sender its money back, since nobody else did. */
  | { kind: 'refund' }

/** A transaction of ours about the intent. */
export type EffectTransaction = {
  id: number
  state: TransactionState
  round: number
  problem: string | null
  blockNumber: number | null
  /** Unix milliseconds. */
  changedAt: number
}

/** What became of an effect so far: a row of `app.reaction`. */
export type Reaction = {
  kind: EffectKind
  state: 'waiting' | 'refused' | 'done'
  reason: string | null
  /** What exactly it was refused for; a refusal counts only as long as that stays the same. */
  subject: string | null
  attempts: number
  /** Unix milliseconds; null: at any time. */
  nextTryAt: number | null
}

/** All that decides what is to be done about an intent. */
export type Situation = {
  facts: KnownIntent
  /** Heads of the indexed chains. */
  clocks: Clocks
  /** Of the source chain's bridge. */
  terms: BridgeTerms
  /** The blob of `IntentCreated`; `0x` when the sender attached none. */
  creationBlob: Hex
  /** Whether recipients are stored. */
  hasBundle: boolean
  /**
   * Blobs that wait to be appended, the oldest first: the stored bundle itself where something else was
   * anchored, then what came later.
   */
  toAppend: readonly { digest: Hex; sealed: Hex }[]
  /** By `transactionName`. */
  transactions: ReadonlyMap<string, EffectTransaction>
  reactions: ReadonlyMap<EffectKind, Reaction>
}

/**
 * Names an effect among an intent's transactions; also the transaction's `effect` in the store. A reorg
 * may give an id to another creation, so what is done for one creation names it.
 */
export function effectName(intentId: bigint, effect: Effect): string {
  if (effect.kind === 'anchor') return `${intentId}:${effect.creation}`
  return effect.kind === 'append' ? `${intentId}:${effect.digest}` : String(intentId)
}

/** Key of `Situation.transactions`. */
export function transactionName(kind: string, effect: string): string {
  return `${kind} ${effect}`
}
