import type { Address } from 'viem'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { WakeSilentChain } from '../chain/transactions/silentChainWaker.ts'
import type { TransactionFeed } from '../chain/transactions/transactionFeed.ts'
import type { Enclave } from '../enclave/enclaveInterface.ts'
import type { Db } from '../store/database/openDatabase.ts'
import type { DestinationChain, VaultChain } from './chain/vaultChain.ts'
import type { VaultFollower } from './follow/followVault.ts'
import type { GasLimits } from './gas/decideGasPayment.ts'
import type { WaitingForGas } from './gas/findTranchesWaitingForGas.ts'
import type { OrderServiceLog } from './orderServiceLog.ts'

/** The order service's dependencies and settings. */
export type OrdersContext = {
  db: Db
  /** Asked in order. Tokens with a quorum above 1 need several. */
  enclaves: readonly [Enclave, ...Enclave[]]
  /** Pays the gas. */
  account: Address
  chains: ReadonlyMap<number, ServedChain>
  /** All configured chains: orders can be delivered on them. */
  destinations: ReadonlyMap<number, DestinationChain>
  feed: TransactionFeed
  events: OrderServiceLog
  wakeSilentChain: WakeSilentChain
  settings: OrdersSettings
}

/** A chain whose orders the service serves. */
export type ServedChain = VaultChain & {
  /** Wei of gas that the bridge's minimum of any token is assumed to be worth: see `calculateMinimumTranche`. */
  weiPerMinimum: bigint
  follower: VaultFollower
  /** The state of each order's next step. */
  steps: Map<Hex, Step>
  /** Orders whose due tranche waits for the service's gas, as of the latest round. */
  waiting: WaitingForGas
  /** Tokens of which the vault holds less than it owes. No tranche of them is fired. */
  halted: Set<Hex>
}

/** The latest requested step of an order. */
export type Step = {
  /** For example `fireTranche 3`. */
  name: string
  /** When it is checked again, by `performance.now()`: the wall clock may be set back. */
  checkAt: number
  /** Failures in a row. */
  failures: number
  /** Why it failed or waits; null while all is well. */
  problem: string | null
}

export type OrdersSettings = {
  /** Unix seconds. */
  now: () => number
  /** Milliseconds that a request waits for its transaction. */
  timeoutMs: number
  /** Least milliseconds between two reloads that requests cause: a node may keep hiding an order. */
  reloadEveryMs: number
} & GasLimits
