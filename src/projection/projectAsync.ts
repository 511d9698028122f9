import type { ChainEvent } from '../event/chainEvent.ts'
import { project } from './project.ts'
import { keyText } from './rowKeys.ts'
import type { Read, ReadAsync } from './rowReader.ts'
import type { AnyKey, AnyRow, TableName } from './rowTypes.ts'
import type { Change } from './rowWrite.ts'

/** Ends an attempt that needs a row which hasn't been read yet. */
class RowWanted extends Error {
  readonly table: TableName
  readonly key: AnyKey

  constructor(table: TableName, key: AnyKey) {
    super(`a row of ${table} is wanted`)
    this.table = table
    this.key = key
  }
}

/**
 * `project` for rows that have to be waited for. The reducer never waits, and it is pure: where it asks for a row that
 * isn't there yet, it is stopped, and begins again once the row has been read.
 */
export async function projectAsync(event: ChainEvent, read: ReadAsync): Promise<Change[]> {
  const known = new Map<string, AnyRow | null>()
  const textOf = (table: TableName, key: AnyKey) => `${table} ${keyText(table, key)}`
  const readKnown: Read = (table, key) => {
    const row = known.get(textOf(table, key))
    if (row === undefined) throw new RowWanted(table, key)
    return row
  }
  while (true) {
    try {
      return project(event, readKnown)
    } catch (error) {
      if (!(error instanceof RowWanted)) throw error
      const { table, key } = error
      known.set(textOf(table, key), await read(table, key))
    }
  }
}
