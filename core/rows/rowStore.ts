import type { ChainEvent } from '../../src/event/chainEvent.ts'
import { keyText } from '../../src/projection/keyOf.ts'
import { project } from '../../src/projection/project.ts'
import type { AnyKey, AnyRow, Rows, TableName } from '../../src/projection/rows.ts'
import type { Change } from '../../src/projection/rowWrite.ts'
import { TABLE_NAMES } from '../../src/projection/tableShapes.ts'

/** The projection in memory: what replay and tests fold into. Any number of chains. */
export class RowStore {
  readonly #tables = new Map<TableName, Map<string, AnyRow>>(
    TABLE_NAMES.map((table) => [table, new Map()]),
  )

  /** Folds one event and returns what it wrote. Each chain's events must come in the chain's order. */
  fold(event: ChainEvent): Change[] {
    const changes = project(event, (table, key) => this.find(table, key))
    for (const change of changes) this.#write(change)
    return changes
  }

  /** The row with this key, or null. Not to be changed. */
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
      const [what, where] = before === null ? ['insert', ''] : ['update', 'not ']
      throw new Error(`${what} of ${table} ${text}, which is ${where}there`)
    }
    rows.set(text, row)
  }
}
