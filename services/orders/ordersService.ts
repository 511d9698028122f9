import type { Address } from 'viem'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { ChainReport, StuckOrder } from './chainReport.ts'
import type { OrderDescription } from './describeOrder.ts'

/** What an owner sends: the order as ciphertext, and the message that it signed. */
export type Submitted = OwnerClaim & { encrypted: Hex }

/** A claimed owner of an order, for what only the owner may read. */
export type OwnerClaim = { message: string; signature: Hex }

/** What only an order's owner sees. */
export type OrderSecrets = { recipients: Hex[]; amounts: bigint[] }

/** A tranche's signed call, which anyone can send. */
export type SignedTranche = { n: number; to: Hex; data: Hex }

/** Orders of one page, newest first, and how many there are. */
type OrderPage = { orders: OrderDescription[]; total: number; nextCursor: string | null }

/** What the API needs of the order service. */
export type OrdersService = {
  /** Milliseconds for which placing and closing an order wait for their transaction. */
  patienceMs: number
  eciesPublicKey(): Promise<Hex>
  /** The vault that owners approve: one address on every chain. */
  vault: Address
  account: Address
  /** @throws OrderError */
  place(submitted: Submitted): Promise<OrderDescription>
  /** Null when there is no such order. @throws OrderError */
  cancel(id: string, word: OwnerClaim): Promise<OrderDescription | null>
  find(id: string): OrderDescription | null
  /** @throws OrderError when the owner didn't sign */
  readSecrets(id: string, word: OwnerClaim): Promise<OrderSecrets>
  /** A tranche that waits for gas; null when there is no such order. @throws OrderError */
  waitingTranche(id: string): Promise<SignedTranche | null>
  list(user: Hex, page: { limit: number; cursor: string | null }): OrderPage
  /** Whether a chain's intents are shown to the owner alone. */
  isStrict(chainId: number): boolean
  /** Whether orders can be served: every chain was read once. */
  isReady(): boolean
  report(): Promise<ChainReport[]>
  stuck(): StuckOrder[]
  /** Names and ids of the chains. */
  networks: readonly { name: string; chainId: number }[]
}
