import type { Address } from 'viem'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { ClockProblem } from '../store/database/describeClockDifference.ts'
import type { OrderDescription } from './describeOrder.ts'
import type { UnservedOrders } from './follow/findUnservedOrders.ts'
import type { ChainReport, StuckOrder } from './reportChain.ts'

/** A submitted order: its ciphertext and its owner's signed message. */
export type Submitted = OwnerClaim & { encrypted: Hex }

/** An owner's signed message, which proves who sends a request. */
export type OwnerClaim = { message: string; signature: Hex }

/** The part of an order that only its owner may read. */
export type OrderSecrets = { recipients: Hex[]; amounts: bigint[] }

/** A tranche's signed call, which anyone can send. */
export type SignedTranche = { n: number; to: Hex; data: Hex }

/** A page of orders, newest first, and the total count. */
type OrderPage = { orders: OrderDescription[]; total: number; nextCursor: string | null }

/** The order service's interface to the API. */
export type OrdersService = {
  /** Milliseconds that placing and cancelling an order wait for their transaction. */
  timeoutMs: number
  /** The key that orders are encrypted to, signed by an enclave's attestation key. */
  publicKey(): Promise<{ publicKey: Hex; signer: Hex; signature: Hex }>
  /** The vault that owners approve; the same address on every chain. */
  vault: Address
  account: Address
  /** @throws OrderError */
  place(submitted: Submitted): Promise<OrderDescription>
  /** Null when there is no such order. @throws OrderError */
  cancel(id: string, claim: OwnerClaim): Promise<OrderDescription | null>
  find(id: string): OrderDescription | null
  /** @throws OrderError when the owner didn't sign */
  readSecrets(id: string, claim: OwnerClaim): Promise<OrderSecrets>
  /** A tranche that waits for gas; null when there is no such order. @throws OrderError */
  waitingTranche(id: string): Promise<SignedTranche | null>
  list(user: Hex, page: { limit: number; cursor: string | null }): OrderPage
  /** Whether every chain has been read once. */
  isReady(): boolean
  report(): Promise<ChainReport[]>
  /** Whether this process's clock is wrong; null also while the database can't be asked for its own. */
  clockProblem(): Promise<ClockProblem | null>
  stuck(): StuckOrder[]
  /** Open orders of vaults that the configuration no longer has, as of the start. */
  unserved: readonly UnservedOrders[]
  networks: readonly { name: string; chainId: number }[]
}
