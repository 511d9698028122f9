import { createHash } from 'node:crypto'
import type { Clocks } from '../../../core/intent/chainClocks.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { Delivery, KnownIntent } from '../../../src/intent/intentFacts.ts'
import type { BridgeTerms } from '../../../src/intent/terms.ts'
import type { TransactionState } from '../../chain/transactions/transactionRow.ts'

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

/** The effects of a kind. */
export type EffectOf<Kind extends EffectKind> = Extract<Effect, { kind: Kind }>

/** The result of trying an effect. */
export type Outcome =
  /** A transaction was requested, or nothing more is needed: the facts will show it. */
  | { is: 'under-way' }
  /** Nothing more is to be done. */
  | { is: 'done' }
  /** It can't be done now; later it may. */
  | { is: 'waiting'; reason: string; detail?: string }
  /** It can't be done unless the intent changes. */
  | { is: 'refused'; reason: string; detail?: string }

/**
 * What exactly an effect is about, as a short text. It differs for another creation, other blobs,
 * another winner or another delivery, so a refusal or success for one doesn't count for the other.
 */
export function subjectOf(effect: Effect): string {
  return createHash('sha256').update(wordsOf(effect).join(' ')).digest('hex').slice(0, 32)
}

function wordsOf(effect: Effect): (string | number)[] {
  const { kind, paramsHash } = effect
  switch (effect.kind) {
    case 'anchor':
    case 'append':
      return [kind, paramsHash, effect.blobsHash, effect.proposal?.digest ?? '']
    case 'reveal':
      return [kind, paramsHash, effect.solver, effect.depositBlock]
    case 'settle':
      return [
        kind,
        paramsHash,
        effect.depositBlock,
        ...effect.deliveries.flatMap((one) => [one.solveTxHash, one.solvedBlock]),
      ]
    case 'undelivered':
      return [kind, paramsHash, effect.depositBlock]
    case 'refund':
      return [kind, paramsHash]
  }
}

/** Names an effect among an intent's transactions; also the transaction's `effect` in the store. */
export function effectName(intentId: bigint, effect: Effect): string {
  return `${intentId}:${subjectOf(effect)}`
}

/** The intent of a transaction that `effectName` named; null for another. */
export function intentOfEffect(name: string): bigint | null {
  const [, id] = /^([0-9]{1,78}):[0-9a-f]{32}$/.exec(name) ?? []
  return id === undefined ? null : BigInt(id)
}

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
