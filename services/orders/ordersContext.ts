import type { Address } from 'viem'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { TransactionFeed } from '../chain/transactions/transactionFeed.ts'
import type { Enclave } from '../enclave/enclaveInterface.ts'
import type { Db } from '../store/database/database.ts'
import type { GasLimits } from './act/decideGas.ts'
import type { WaitingForGas } from './act/queueForGas.ts'
import type { OrderChain } from './chain/orderChain.ts'
import type { VaultFollower } from './follow/followVault.ts'
import type { OrderEvents } from './orderEvents.ts'

/** What the order service works with. */
export type OrdersContext = {
  db: Db
  /** The first is asked first; orders of tokens with a quorum need several. */
  enclaves: readonly [Enclave, ...Enclave[]]
  /** Pays the gas. */
  account: Address
  chains: ReadonlyMap<number, ServedChain>
  feed: TransactionFeed
  events: OrderEvents
  settings: OrdersSettings
}

/** A chain whose orders are followed. */
export type ServedChain = OrderChain & {
  follower: VaultFollower
  /** The state of each order's next step. */
  steps: Map<Hex, Step>
  /** Orders whose due tranche waits for gas that the service pays, as of the last look. */
  waiting: WaitingForGas
  /** Tokens of which the vault holds less than it owes: nothing more of them is fired. */
  halted: Set<Hex>
}

/** The latest requested step of an order. */
export type Step = {
  /** What it is: `fireTranche 3`. */
  name: string
  /** Milliseconds of the machine's clock: when it is checked again. */
  againAt: number
  /** How often it failed in a row. */
  failures: number
  /** Why it failed or waits; null while all is well. */
  problem: string | null
}

export type OrdersSettings = {
  /** Unix seconds. */
  now: () => number
  /** Milliseconds that a request waits for its transaction. */
  patienceMs: number
  /** Milliseconds between two full readings that requests cause: a node may keep hiding an order. */
  doubtEveryMs: number
  /** Wei of gas that the bridge's least amount of any token is worth: see `gasMinimum`. */
  weiPerMinimum: bigint
} & GasLimits
