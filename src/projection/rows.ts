import type { EventType, Hex } from '../event/bridgeEvent.ts'
import type { JsonArgs } from '../event/eventArgs.ts'
import type { Delivery, SourceFacts } from '../intent/facts.ts'

/** Rows of the projection's tables (ponder.schema.ts says what each column means). */
export type EventRow = {
  chainId: number
  blockNumber: number
  logIndex: number
  blockHash: Hex
  blockTimestamp: number
  transactionHash: Hex
  transactionFrom: Hex
  type: EventType
  sourceChainId: number | null
  intentId: bigint | null
  args: JsonArgs
}

export type BidRow = {
  sourceChainId: number
  intentId: bigint
  bidIndex: number
  solver: Hex
  amountB: bigint
  bidTxHash: Hex
  bidAt: number
  blockNumber: number
}

export type SolverRecordRow = {
  chainId: number
  solver: Hex
  bids: number
  wins: number
  deliveries: number
  settlements: number
  failures: number
  firstSeen: number
  lastSeen: number
}

export type SolverVolumeRow = {
  chainId: number
  solver: Hex
  token: Hex
  delivered: bigint
  paidOut: bigint
  slashed: bigint
}

export type PairDayRow = {
  sourceChainId: number
  destChainId: number
  tokenA: Hex
  tokenB: Hex
  day: number
  created: number
  bids: number
  completed: number
  cancelled: number
  expired: number
  failed: number
  createdVolumeA: bigint
  completedVolumeA: bigint
  completedVolumeB: bigint
  fees: bigint
  rewards: bigint
}

export type EscrowRow = {
  chainId: number
  token: Hex
  open: bigint
  bonds: bigint
  credits: bigint
  fees: bigint
}

export type BridgeRow = {
  chainId: number
  address: Hex
  pickupWindow: number
  executionWindow: number
  settlementGrace: number
  relayer: Hex
  treasury: Hex
  creationPaused: boolean
  deployedBlock: number
}

export type BridgeTokenRow = {
  chainId: number
  token: Hex
  minAmount: bigint
  maxAmount: bigint
  listed: boolean
}

export type BridgeDestinationRow = { chainId: number; destChainId: number; listed: boolean }

/** Row type of each table, by the name that ponder.schema.ts exports it under. */
export type Rows = {
  event: EventRow
  intent: SourceFacts
  delivery: Delivery
  bid: BidRow
  solverRecord: SolverRecordRow
  solverVolume: SolverVolumeRow
  pairDay: PairDayRow
  escrow: EscrowRow
  bridge: BridgeRow
  bridgeToken: BridgeTokenRow
  bridgeDestination: BridgeDestinationRow
}

export type TableName = keyof Rows

/** Columns of each table's primary key, in its order. */
export type KeyColumns = {
  event: 'chainId' | 'blockNumber' | 'logIndex'
  intent: 'sourceChainId' | 'intentId'
  delivery: 'destChainId' | 'chain2IntentId'
  bid: 'sourceChainId' | 'intentId' | 'bidIndex'
  solverRecord: 'chainId' | 'solver'
  solverVolume: 'chainId' | 'solver' | 'token'
  pairDay: 'sourceChainId' | 'destChainId' | 'tokenA' | 'tokenB' | 'day'
  escrow: 'chainId' | 'token'
  bridge: 'chainId'
  bridgeToken: 'chainId' | 'token'
  bridgeDestination: 'chainId' | 'destChainId'
}

/** A primary key. */
export type Key<Table extends TableName> = Pick<Rows[Table], KeyColumns[Table] & keyof Rows[Table]>

/** A row of some table. */
export type AnyRow = Rows[TableName]

/** A primary key of some table. */
export type AnyKey = { [Table in TableName]: Key<Table> }[TableName]
