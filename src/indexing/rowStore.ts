import type { TableName } from '../projection/rowTypes.ts'

/** What the handlers use of Ponder's database: whole rows, by primary key. */
export type RowStore = {
  find(table: unknown, key: object): Promise<object | null>
  insert(table: unknown): { values(row: object): PromiseLike<unknown> }
  update(table: unknown, key: object): { set(row: object): PromiseLike<unknown> }
}

/** Ponder's tables by the names under which ponder.schema.ts exports them. */
export type Tables = Record<TableName, unknown>
