import { createHash } from 'node:crypto'
import type { Clocks } from '../../../core/intent/chainClocks.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { BridgeTerms } from '../../../src/intent/bridgeTerms.ts'
import type { Delivery, KnownIntent } from '../../../src/intent/intentFacts.ts'
import type { TransactionState } from '../../chain/transactions/transactionRow.ts'

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
  /** Have an enclave set the fee tier and recipient class, and anchor the recipients on chain. */
  | { kind: 'anchor'; paramsHash: Hex; blobsHash: Hex; proposal: Proposal | null }
  /** Put on chain what became known after the anchor. */
  | { kind: 'append'; paramsHash: Hex; blobsHash: Hex; proposal: Proposal | null }
  /** Reveal the recipients on chain to a winner that asked for them there. */
  | { kind: 'reveal'; paramsHash: Hex; solver: Hex; depositBlock: number }
  /** Have the delivery attested and the winner paid. */
  | { kind: 'settle'; paramsHash: Hex; depositBlock: number; deliveries: readonly Delivery[] }
  /** Have it attested that nothing was delivered in time, and refund the sender. */
  | { kind: 'undelivered'; paramsHash: Hex; depositBlock: number }
  /** Refund the sender, since nobody else has. */
  | { kind: 'refund'; paramsHash: Hex }

export type EffectOf<Kind extends EffectKind> = Extract<Effect, { kind: Kind }>

export type Outcome =
  /** A transaction was requested, or nothing more is needed: the facts will show it. */
  | { is: 'under-way' }
  /** Nothing more is needed. */
  | { is: 'done' }
  /** Impossible now, possible later. */
  | { is: 'waiting'; reason: string; detail?: string }
  /** Impossible unless the intent changes. */
  | { is: 'refused'; reason: string; detail?: string }

/**
 * Identifies what exactly an effect is about. It differs for another creation, other blobs, another winner or another
 * delivery, so a refusal or success of one doesn't count for another.
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

/** Names an effect among an intent's transactions, and in their column `effect`. */
export function effectName(intentId: bigint, effect: Effect): string {
  return `${intentId}:${subjectOf(effect)}`
}

/** The intent in a name made by `effectName`; null for any other name. */
export function intentOfEffect(name: string): bigint | null {
  const [, id] = /^([0-9]{1,78}):[0-9a-f]{32}$/.exec(name) ?? []
  return id === undefined ? null : BigInt(id)
}

/** One of our transactions for an intent. */
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
  /** The subject (`subjectOf`) for which it was refused or done. The result counts only for that subject. */
  subject: string | null
  attempts: number
  /** Unix milliseconds of the last attempt; null: none. */
  triedAt: number | null
  /** Unix milliseconds; null: no pause. */
  nextTryAt: number | null
}

/** Everything that decides which effects an intent needs. */
export type IntentState = {
  facts: KnownIntent
  /** Heads of the indexed chains. */
  clocks: Clocks
  /** The source chain's bridge's. */
  terms: BridgeTerms
  /** The bundle sent for exactly this creation; null if there is none, or while it is disputed. */
  proposal: Proposal | null
  /** Whether the chain has that bundle, by an anchor or append signed for it. */
  isCarried: boolean
  /** Whether the sender has named recipients on chain. */
  isNamed: boolean
  /** Block of the winner's deposit; null if there is none. */
  depositBlock: number | null
  /** Block of its latest anchor or blob; null if there is none since its creation. */
  blobBlock: number | null
  /** By `transactionName`. */
  transactions: ReadonlyMap<string, EffectTransaction>
  reactions: ReadonlyMap<EffectKind, Reaction>
}

export function transactionName(kind: string, effect: string): string {
  return `${kind} ${effect}`
}
