import { expect, test } from 'vitest'
import { TABLE_LAYOUTS } from '../../../services/indexer/tables/tableLayouts.ts'

test('PostgreSQL takes the name of each index as it is, and no two are the same', () => {
  const names = TABLE_LAYOUTS.flatMap(({ indexes }) => indexes.map(({ name }) => name))
  expect(names.length).toBeGreaterThan(15)
  expect(new Set(names).size).toBe(names.length)
  for (const name of names) expect(Buffer.byteLength(name)).toBeLessThanOrEqual(63)
})
