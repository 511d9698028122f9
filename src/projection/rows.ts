import type { Hex } from '../event/bridgeEvent.ts'
import type { ChainEventType } from '../event/chainEvent.ts'
import type { JsonArgs } from '../event/eventArgs.ts'
import type { Delivery, SourceFacts } from '../intent/facts.ts'
import type { ForfeitReason } from '../intent/forfeits.ts'
import type { OrderFacts } from '../order/facts.ts'
import type { CompletionTimes } from './completionTimes.ts'

/** Rows of the projection's tables (ponder.schema.ts says what each column means). */
export type EventRow = {
  chainId: number
  blockNumber: number
  logIndex: number
  blockHash: Hex
  blockTimestamp: number
  transactionHash: Hex
  transactionFrom: Hex
  type: ChainEventType
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
  noShows: number
  firstSeen: number
  lastSeen: number
}

export type SolverVolumeRow = {
  chainId: number
  solver: Hex
  token: Hex
  delivered: bigint
  paidOut: bigint
  forfeited: bigint
}

/** A pair's counts and sums over an hour or a day. */
export type PairCounts = {
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
  senders: number
  sendersOfChain: number
  completionTimes: CompletionTimes
}

type PairKey = { sourceChainId: number; destChainId: number; tokenA: Hex; tokenB: Hex }

export type PairDayRow = PairKey & { day: number } & PairCounts

export type PairHourRow = PairKey & { hour: number } & PairCounts

export type SolverDayRow = {
  chainId: number
  solver: Hex
  token: Hex
  day: number
  bids: number
  wins: number
  settlements: number
  failures: number
  noShows: number
  deliveries: number
  delivered: bigint
  settledVolume: bigint
  fees: bigint
  paidOut: bigint
  forfeited: bigint
  completionTimes: CompletionTimes
}

export type SenderDayRow = {
  sourceChainId: number
  day: number
  sender: Hex
  created: number
  lastHour: number
}

export type PairSenderDayRow = PairKey & {
  day: number
  sender: Hex
  created: number
  lastHour: number
}

export type EscrowRow = {
  chainId: number
  token: Hex
  open: bigint
  stakes: bigint
  credits: bigint
  deliveryCredits: bigint
  fees: bigint
}

export type SolverStakeRow = {
  chainId: number
  solver: Hex
  token: Hex
  staked: bigint
  locked: bigint
}

export type ForfeitRow = {
  sourceChainId: number
  intentId: bigint
  solver: Hex
  token: Hex
  amount: bigint
  reason: ForfeitReason
  forfeitTxHash: Hex
  forfeitedAt: number
  blockNumber: number
}

export type SealingKeyRow = {
  chainId: number
  solver: Hex
  publicKey: Hex
  setAt: number
  setTxHash: Hex
}

export type TrancheRow = {
  chainId: number
  orderId: Hex
  trancheIndex: number
  intentId: bigint
  firedTxHash: Hex
  firedAt: number
  blockNumber: number
}

export type VaultEscrowRow = { chainId: number; token: Hex; orders: bigint; credits: bigint }

export type BridgeRow = {
  chainId: number
  address: Hex
  minAuctionDuration: number
  firmSeconds: number
  pickupWindow: number
  executionWindow: number
  settlementGrace: number
  registry: Hex
  treasury: Hex
  forfeitReceiver: Hex
  creationPaused: boolean
  deployedBlock: number
}

export type BridgeTokenRow = {
  chainId: number
  token: Hex
  minAmount: bigint
  maxAmount: bigint
  quorum: number
  listed: boolean
}

export type BridgeDestinationRow = { chainId: number; destChainId: number; listed: boolean }

export type BridgePeripheryRow = { chainId: number; periphery: Hex; listed: boolean }

export type BridgeAnnouncementRow = {
  chainId: number
  changeId: Hex
  change: Hex
  announcedAt: number
  activeAt: number
  withdrawnAt: number | null
  enactedAt: number | null
}

/** Row type of each table, by the name that ponder.schema.ts exports it under. */
export type Rows = {
  event: EventRow
  intent: SourceFacts
  delivery: Delivery
  bid: BidRow
  solverRecord: SolverRecordRow
  solverVolume: SolverVolumeRow
  solverStake: SolverStakeRow
  forfeit: ForfeitRow
  sealingKey: SealingKeyRow
  pairDay: PairDayRow
  pairHour: PairHourRow
  solverDay: SolverDayRow
  senderDay: SenderDayRow
  pairSenderDay: PairSenderDayRow
  escrow: EscrowRow
  scheduledOrder: OrderFacts
  tranche: TrancheRow
  vaultEscrow: VaultEscrowRow
  bridge: BridgeRow
  bridgeToken: BridgeTokenRow
  bridgeDestination: BridgeDestinationRow
  bridgePeriphery: BridgePeripheryRow
  bridgeAnnouncement: BridgeAnnouncementRow
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
  solverStake: 'chainId' | 'solver' | 'token'
  forfeit: 'sourceChainId' | 'intentId' | 'solver'
  sealingKey: 'chainId' | 'solver'
  pairDay: 'sourceChainId' | 'destChainId' | 'tokenA' | 'tokenB' | 'day'
  pairHour: 'sourceChainId' | 'destChainId' | 'tokenA' | 'tokenB' | 'hour'
  solverDay: 'chainId' | 'solver' | 'token' | 'day'
  senderDay: 'sourceChainId' | 'day' | 'sender'
  pairSenderDay: 'sourceChainId' | 'destChainId' | 'tokenA' | 'tokenB' | 'day' | 'sender'
  escrow: 'chainId' | 'token'
  scheduledOrder: 'chainId' | 'orderId'
  tranche: 'chainId' | 'orderId' | 'trancheIndex'
  vaultEscrow: 'chainId' | 'token'
  bridge: 'chainId'
  bridgeToken: 'chainId' | 'token'
  bridgeDestination: 'chainId' | 'destChainId'
  bridgePeriphery: 'chainId' | 'periphery'
  bridgeAnnouncement: 'chainId' | 'changeId'
}

/** A primary key. */
export type Key<Table extends TableName> = Pick<Rows[Table], KeyColumns[Table] & keyof Rows[Table]>

/** A row of some table. */
export type AnyRow = Rows[TableName]

/** A primary key of some table. */
export type AnyKey = { [Table in TableName]: Key<Table> }[TableName]
