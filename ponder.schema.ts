/**
 * The tables that Ponder writes: an append-only `event` table and the projections folded from it. Their columns are
 * stated in src/table/columns.ts; here they become Ponder's, with the indexes by which they are read.
 */
import { index, onchainTable, primaryKey } from 'ponder'
import { COLUMNS, type ColumnType } from './src/table/columns.ts'

export const event = table('event', (table) => ({
  // The id names its source chain. With the type, since anyone may add events of some types to an intent.
  intentIdx: index().on(table.intentId, table.type),
  // Lists break ties of a time by chain, block and log: PostgreSQL sorts the few rows of one second itself.
  typeIdx: index().on(table.type, table.blockTimestamp),
  timeIdx: index().on(table.blockTimestamp),
  // Only ever asked for whole: a third of the size of a tree.
  transactionIdx: index().using('hash', table.transactionHash),
}))

// Those by which lists are filtered have the id as well, which breaks ties: without it, PostgreSQL reads more blocks, or
// walks all intents by time.
export const intent = table('intent', (table) => ({
  createdIdx: index().on(table.createdAt, table.intentId),
  phaseIdx: index().on(table.phase, table.createdAt, table.intentId),
  destIdx: index().on(table.destChainId, table.createdAt, table.intentId),
  senderIdx: index().on(table.sender, table.createdAt, table.intentId),
  solverIdx: index().on(table.solver, table.createdAt, table.intentId),
  tokenAIdx: index().on(table.tokenA, table.createdAt, table.intentId),
  tokenBIdx: index().on(table.tokenB, table.createdAt, table.intentId),
  amountIdx: index().on(table.amountA, table.intentId),
  rewardIdx: index().on(table.reward, table.intentId),
  endTimeIdx: index().on(table.endTime),
  updatedIdx: index().on(table.updatedAt),
  settledIdx: index().on(table.settledAt),
  feeIdx: index().on(table.fee, table.intentId),
}))

export const delivery = table('delivery', (table) => ({
  intentIdx: index().on(table.sourceChainId, table.intentId, table.solver),
  solverIdx: index().on(table.solver, table.solvedAt),
}))

export const bid = table('bid', (table) => ({
  solverIdx: index().on(table.solver, table.bidAt),
}))

export const solverRecord = table('solverRecord', (table) => ({
  solverIdx: index().on(table.solver),
}))

export const solverVolume = table('solverVolume')

export const solverStake = table('solverStake', (table) => ({
  solverIdx: index().on(table.solver),
}))

export const forfeit = table('forfeit', (table) => ({
  solverIdx: index().on(table.solver, table.forfeitedAt),
}))

export const sealingKey = table('sealingKey', (table) => ({
  solverIdx: index().on(table.solver),
}))

export const pairDay = table('pairDay', (table) => ({
  dayIdx: index().on(table.day),
}))

export const pairHour = table('pairHour', (table) => ({
  hourIdx: index().on(table.hour),
}))

export const solverDay = table('solverDay', (table) => ({
  solverIdx: index().on(table.solver, table.day),
  dayIdx: index().on(table.day),
}))

export const senderDay = table('senderDay')

export const pairSenderDay = table('pairSenderDay')

export const escrow = table('escrow')

export const scheduledOrder = table('scheduledOrder', (table) => ({
  idIdx: index().on(table.orderId),
  fundedIdx: index().on(table.fundedAt, table.orderId),
  ownerIdx: index().on(table.owner, table.fundedAt, table.orderId),
  openIdx: index().on(table.closedAt, table.endTime),
}))

export const tranche = table('tranche')

export const vaultEscrow = table('vaultEscrow')

export const bridge = table('bridge')

export const bridgeToken = table('bridgeToken')

export const bridgeDestination = table('bridgeDestination')

export const bridgePeriphery = table('bridgePeriphery')

export const bridgeAnnouncement = table('bridgeAnnouncement')

type Builders = Parameters<
  Extract<Parameters<typeof onchainTable>[1], (types: never) => unknown>
>[0]
type ExtraColumn = Parameters<ReturnType<typeof index>['on']>[0]
type Indexes = Record<string, ReturnType<ReturnType<typeof index>['on']>>

/** A stated table as Ponder's, with its primary key and these indexes. */
function table<Name extends keyof typeof COLUMNS>(
  name: Name,
  indexes: (
    columns: Record<keyof (typeof COLUMNS)[Name]['columns'], ExtraColumn>,
  ) => Indexes = () => ({}),
) {
  const { sqlName, key, columns } = COLUMNS[name]
  const isAlone = key.length === 1
  return onchainTable(
    sqlName as string,
    (t) =>
      Object.fromEntries(
        Object.entries(columns).map(([column, type]) => [
          column,
          isAlone && column === key[0] ? built(t, type).primaryKey() : built(t, type),
        ]),
      ),
    (self) => ({
      ...(!isAlone && { pk: primaryKey({ columns: key.map((column) => self[column]) as never }) }),
      ...indexes(self as never),
    }),
  )
}

function built(t: Builders, type: ColumnType) {
  const column = builderOf(t, type.replace('?', ''))
  return type.endsWith('?') ? column : column.notNull()
}

function builderOf(t: Builders, type: string) {
  switch (type) {
    case 'int8':
      return t.int8({ mode: 'number' })
    case 'integer':
      return t.integer()
    case 'numeric':
      return t.bigint()
    case 'hex':
      return t.hex()
    case 'boolean':
      return t.boolean()
    case 'json':
      return t.jsonb()
    default:
      return t.text()
  }
}
