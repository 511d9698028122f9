import type { KeyColumns, Rows, TableName } from '../table/rows.ts'

export type { KeyColumns, Rows, TableName }

export type EventRow = Rows['event']
export type BidRow = Rows['bid']
export type SolverRecordRow = Rows['solverRecord']
export type SolverVolumeRow = Rows['solverVolume']
export type SolverStakeRow = Rows['solverStake']
export type ForfeitRow = Rows['forfeit']
export type SealingKeyRow = Rows['sealingKey']
export type PairDayRow = Rows['pairDay']
export type PairHourRow = Rows['pairHour']
export type SolverDayRow = Rows['solverDay']
export type SenderDayRow = Rows['senderDay']
export type PairSenderDayRow = Rows['pairSenderDay']
export type EscrowRow = Rows['escrow']
export type TrancheRow = Rows['tranche']
export type VaultEscrowRow = Rows['vaultEscrow']
export type BridgeRow = Rows['bridge']
export type BridgeTokenRow = Rows['bridgeToken']
export type BridgeDestinationRow = Rows['bridgeDestination']
export type BridgePeripheryRow = Rows['bridgePeriphery']
export type BridgeAnnouncementRow = Rows['bridgeAnnouncement']

/** A pair's counts and sums over an hour or a day. */
export type PairCounts = Omit<PairDayRow, KeyColumns['pairDay']>

/** A primary key. */
export type Key<Table extends TableName> = Pick<Rows[Table], KeyColumns[Table] & keyof Rows[Table]>

/** A row of some table. */
export type AnyRow = Rows[TableName]

/** A primary key of some table. */
export type AnyKey = { [Table in TableName]: Key<Table> }[TableName]
