import type { AnyRow, TableName } from '../../src/projection/rowTypes.ts'
import { TABLES } from '../../src/table/tableShapes.ts'

/** The rows in the order of their primary key: numbers by size, text by code units. */
export function sortRows<Row extends AnyRow>(table: TableName, rows: Iterable<Row>): Row[] {
  const { key } = TABLES[table]
  return [...rows].sort((a, b) => {
    const left = a as Record<string, bigint | number | string>
    const right = b as Record<string, bigint | number | string>
    for (const column of key) {
      if (left[column] === right[column]) continue
      return left[column]! < right[column]! ? -1 : 1
    }
    return 0
  })
}
