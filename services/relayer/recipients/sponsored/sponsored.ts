import type { Transaction } from '../../../chain/transactions/transaction.ts'

/** Kinds of transactions that the relayer pays for a Safe's owner. */
const SPONSORED_KINDS = ['deploySafe', 'relaySafe'] as const
export type SponsoredKind = (typeof SPONSORED_KINDS)[number]

export function isSponsored(kind: string): kind is SponsoredKind {
  return SPONSORED_KINDS.includes(kind as SponsoredKind)
}

/** How often one effect is tried on chain, since each failure there costs gas. */
const MOST_ROUNDS = 3

/** Whether a transaction has ended without effect, so that the same may be requested again. */
export function cameToNothing({
  state,
  succeeded,
  round,
}: Pick<Transaction, 'state' | 'succeeded' | 'round'>): boolean {
  if (state === 'superseded') return round < MOST_ROUNDS
  return state === 'failed' && (succeeded === null || round < MOST_ROUNDS)
}
