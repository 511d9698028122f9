import type { Address } from 'viem'
import type { SafeContracts } from '../../../../core/safe/safeContracts.ts'
import type { SponsorErrorCode } from '../../../../core/safe/sponsorErrorCode.ts'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import type { ChainNodes } from '../../../chain/transactions/chainNodes.ts'
import type { RollupDataFees } from '../../../chain/transactions/rollupDataFees.ts'
import type { Transaction } from '../../../chain/transactions/transactionRow.ts'
import type { SponsorLimits } from '../../../config/sponsorLimits.ts'
import type { Db } from '../../../store/database/openDatabase.ts'

/** Dependencies of sponsoring on one chain. */
export type Sponsorship = {
  /** May write schema `app`. */
  db: Db
  chainId: number
  /** Tokens listed in the chain's configuration, lower case, in addition to its bridge's. */
  tokens: readonly Hex[]
  /** Confirmations after which a balance is settled. */
  confirmations: number
  contracts: SafeContracts
  /** Cost of data in addition to gas, on rollups. */
  dataFees: RollupDataFees
  nodes: Pick<ChainNodes, 'queryAll' | 'priorityFees'>
  /** The relayer's account, which pays. */
  account: Address
  limits: SponsorLimits
}

export type Requester = {
  /** The client's tag, made by the enclave of its network address; null if the request comes with another client's. */
  client: string | null
  /**
   * Charges the Safe, then the client, for a transaction, once the owner's signature is verified. Throws when a rate
   * limit is exceeded; the client isn't charged for what the Safe's limit refuses.
   */
  charge(safeAddress: Hex): void
}

/** A transaction that the relayer doesn't pay for. The message says what to do. */
export class SponsorError extends Error {
  override readonly name = 'SponsorError'
  readonly code: SponsorErrorCode
  /** Details for programs. */
  readonly details: Record<string, unknown> | undefined

  constructor(code: SponsorErrorCode, message: string, details?: Record<string, unknown>) {
    super(message)
    this.code = code
    this.details = details
  }
}

/** Kinds of transactions that the relayer pays for a Safe's owner. */
export const SPONSORED_KINDS = ['deploySafe', 'relaySafe'] as const
export type SponsoredKind = (typeof SPONSORED_KINDS)[number]

export function isSponsored(kind: string): kind is SponsoredKind {
  return SPONSORED_KINDS.includes(kind as SponsoredKind)
}

/** Attempts on chain per effect, since each failure there costs gas. */
const MOST_ROUNDS = 3

/**
 * Whether a transaction counts as confirmed since the account that sent it was replaced (see `endFormerTransactions`): nobody
 * notices if a reorg takes it out of its block for good, so that only the chain shows its effect.
 */
export function isUnwatched(
  { state, account }: Pick<Transaction, 'state' | 'account'>,
  sponsorship: Pick<Sponsorship, 'account'>,
): boolean {
  return state === 'confirmed' && account !== sponsorship.account.toLowerCase()
}

/** Whether a transaction ended without effect, so that it may be requested again. */
export function endedWithoutEffect({
  state,
  succeeded,
  round,
}: Pick<Transaction, 'state' | 'succeeded' | 'round'>): boolean {
  // Rounds start at 0.
  const isLast = round + 1 >= MOST_ROUNDS
  if (state === 'superseded') return !isLast
  return state === 'failed' && (succeeded === null || !isLast)
}
