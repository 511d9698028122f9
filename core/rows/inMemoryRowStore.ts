import type { ChainEvent } from '../../src/event/chainEvent.ts'
import { project } from '../../src/projection/project.ts'
import { keyText } from '../../src/projection/rowKeys.ts'
import type { AnyKey, AnyRow, Rows, TableName } from '../../src/projection/rowTypes.ts'
import type { Change } from '../../src/projection/rowWrite.ts'
import { TABLE_NAMES } from '../../src/table/tableShapes.ts'

/** An in-memory projection of any number of chains, for replay and tests. */
export class InMemoryRowStore {
  readonly #tables = new Map<TableName, Map<string, AnyRow>>(
    TABLE_NAMES.map((table) => [table, new Map()]),
  )

  /** Folds one event and returns the changed rows. Each chain's events must come in chain order. */
  fold(event: ChainEvent): Change[] {
    const changes = project(event, (table, key) => this.find(table, key))
    for (const change of changes) this.#write(change)
    return changes
  }

  /** The row with this key, or null. Don't modify it. */
  find<Table extends TableName>(table: Table, key: AnyKey): Rows[Table] | null {
    const row = this.#tables.get(table)?.get(keyText(table, key))
    return (row as Rows[Table] | undefined) ?? null
  }

  /** All rows of a table, in the order in which they were first written. */
  rows<Table extends TableName>(table: Table): Rows[Table][] {
    return [...(this.#tables.get(table)?.values() ?? [])] as Rows[Table][]
  }

  #write({ table, before, row }: Change): void {
    const rows = this.#tables.get(table) as Map<string, AnyRow>
    const text = keyText(table, row as unknown as AnyKey)
    if (rows.has(text) !== (before !== null)) {
      const [what, state] =
        before === null ? ['insert', 'already exists'] : ['update', 'does not exist']
      throw new Error(`${what} of ${table} ${text}, which ${state}`)
    }
    rows.set(text, row)
  }
}
