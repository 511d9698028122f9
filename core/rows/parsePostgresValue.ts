import type { ColumnKind } from '../../src/table/tableShapes.ts'

/** A column's value as `src/` has it, from what node-postgres returns: `int8` and `numeric` as text. */
export function parsePostgresValue(kind: ColumnKind, value: unknown): unknown {
  if (value === null) return null
  if (kind === 'bigint') return BigInt(value as string)
  return kind === 'number' ? Number(value) : value
}
