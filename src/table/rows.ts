import type { Hex } from '../event/bridgeEvent.ts'
import type { ChainEventType } from '../event/chainEvent.ts'
import type { JsonArgs } from '../event/eventArgsJson.ts'
import type { COLUMNS, ColumnType } from './columns.ts'
import type { CompletionTimes, ForfeitReason, Phase, StopReason } from './enumValues.ts'

type Stated = typeof COLUMNS

/** A table, by the name that ponder.schema.ts exports it under. */
export type TableName = keyof Stated

/** Columns of each table's primary key. */
export type KeyColumns = { [Table in TableName]: Stated[Table]['key'][number] }

/** Columns of which TypeScript says more than PostgreSQL. */
type Narrower = {
  event: { type: ChainEventType; args: JsonArgs }
  intent: { phase: Phase }
  forfeit: { reason: ForfeitReason }
  pairDay: { completionTimes: CompletionTimes }
  pairHour: { completionTimes: CompletionTimes }
  solverDay: { completionTimes: CompletionTimes }
  scheduledOrder: { closeReason: StopReason | null }
}

type Values = {
  int8: number
  integer: number
  numeric: bigint
  hex: Hex
  text: string
  boolean: boolean
  json: unknown
}
type ValueOf<Type extends ColumnType> = Type extends keyof Values
  ? Values[Type]
  : Type extends `${infer Stored extends keyof Values}?`
    ? Values[Stored] | null
    : never

type NarrowerOf<Table, Column> = Table extends keyof Narrower
  ? Column extends keyof Narrower[Table]
    ? Narrower[Table][Column]
    : never
  : never

type RowOf<Table extends TableName, Columns = Stated[Table]['columns']> = {
  -readonly [Column in keyof Columns]: [NarrowerOf<Table, Column>] extends [never]
    ? ValueOf<Columns[Column] & ColumnType>
    : NarrowerOf<Table, Column>
}

/** The row of each table (columns.ts says what each column means). */
export type Rows = { [Table in TableName]: RowOf<Table> }
