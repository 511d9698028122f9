import type { Hex } from '../event/bridgeEvent.ts'

/** Why an order stopped. */
export type StopReason = 'filled' | 'end_time' | 'user_cancel'

/**
 * What a chain has said of a scheduled order: exactly a row of the table `scheduled_order`. Amounts in base
 * units, times in unix seconds; null is "has not happened (yet)".
 */
export type OrderFacts = {
  chainId: number
  /** The vault's id: keccak256 of the order as it was submitted. */
  orderId: Hex
  owner: Hex
  destChainId: number
  tokenA: Hex
  tokenB: Hex
  /** What the vault took from the owner. */
  totalAmount: bigint
  /** What each tranche puts into escrow, its reward included. */
  amountPerPeriod: bigint
  /** Least that each tranche delivers, in base units of tokenB. */
  expectedAmountB: bigint
  /** Seconds. */
  period: number
  startTime: number
  /** When the first tranche is due: the later of `startTime` and the funding. */
  firstAt: number
  /** Tranches are fired while block time < endTime. */
  endTime: number
  /** Signatures of different operators that each step needs. */
  quorum: number
  fundTxHash: Hex
  fundedAt: number
  fundedBlock: number
  /** How many tranches were fired; the number of the next one. */
  tranchesFired: number
  /** Of those, how many were settled, and how many came back to the owner. */
  tranchesCompleted: number
  tranchesRefunded: number
  lastFiredAt: number | null
  /** What of the owner's tokens is in the vault; 0 once closed. */
  remaining: bigint
  /** What came back to the owner from tranches that were cancelled or refunded. */
  amountRefunded: bigint
  closeReason: StopReason | null
  closeTxHash: Hex | null
  closedAt: number | null
  /** What went back to the owner when the order was closed. */
  amountReturned: bigint | null
  updatedBlock: number
  updatedAt: number
}
