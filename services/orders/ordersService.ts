import type { Address } from 'viem'
import type { TokenLedger } from '../../core/order/vaultLedger.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
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

/** An order whose next step should have been taken. */
export type StuckOrder = {
  id: string
  chainId: number
  step: string
  /** Seconds since it was due. */
  late: number
  problem: string | null
}

/** Gas that the service gives away, or lends until a tranche is delivered, on one chain. */
export type UnpaidGas = {
  /** What all owners together may take in a day; fundings get half of it. */
  limit: bigint
  taken: bigint
  /** Whether an owner without a record has a funding paid for now. */
  paysFundings: boolean
  /** Due tranches that wait for it. */
  waiting: number
}

/** A chain's state, as the service sees it. */
export type ChainReport = {
  name: string
  chainId: number
  vault: Hex
  /** Block up to which orders are known; null while none was read. */
  blockNumber: number | null
  orders: { total: number; active: number; due: number }
  /** The failed ones, whose winner didn't deliver, are among the refunded. */
  tranches: { fired: number; settled: number; refunded: number; failed: number }
  /** Tranches whose recipients the relayer has accepted since the start. */
  bundlesAccepted: number
  /** Seconds by which the longest due step is late; 0 when none is. */
  lateness: number
  ledger: { tokens: TokenLedger[]; contradicted: Hex[] } | null
  /** Gas of the last day that no fee covers. */
  unpaidGas: UnpaidGas
  /** Wei of the account that pays; null when it can't be asked. */
  gas: bigint | null
  /** What keeps it from working; null when nothing does. */
  problem: string | null
}

/** What the API needs of the order service. */
export type OrdersService = {
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
