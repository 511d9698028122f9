import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { InMemoryRowStore } from '../../../core/rows/inMemoryRowStore.ts'
import { type ChainRows, computeStateHash } from '../../../core/rows/stateHash.ts'
import type { AnyRow, TableName } from '../../../src/projection/rowTypes.ts'
import { TABLE_NAMES, TABLES } from '../../../src/table/tableShapes.ts'
import { foldRows } from './model/foldRows.ts'
import { anyWorld } from './model/randomHistory.ts'

const RUNS = { seed: 31, numRuns: 50 }

describe('stateHash', () => {
  test('of an empty chain is a constant', () => {
    expect(computeStateHash({})).toBe(computeStateHash({ intent: [], event: [] }))
    expect(computeStateHash({})).toMatchInlineSnapshot(
      `"0xa8bfece493d542bac83ab684f3fa415ca3a9f889675705e3f0ddec845f8221e6"`,
    )
  })

  test('does not depend on the order of rows, nor on the order of a row’s properties', () => {
    fc.assert(
      fc.property(anyWorld(60), ({ a }) => {
        const rows = rowsOf(foldRows(a.events))
        expect(computeStateHash(mapRows(rows, (of) => of.toReversed()))).toBe(
          computeStateHash(rows),
        )
        expect(computeStateHash(mapRows(rows, (of) => of.map(turned)))).toBe(computeStateHash(rows))
      }),
      RUNS,
    )
  })

  test('changes with every single column of every table', () => {
    fc.assert(
      fc.property(anyWorld(120), ({ a: chain }) => {
        const rows = rowsOf(foldRows(chain.events))
        const hash = computeStateHash(rows)
        for (const table of TABLE_NAMES) {
          const [first, ...rest] = (rows[table] ?? []) as AnyRow[]
          if (!first) continue
          for (const column of Object.keys(TABLES[table].columns)) {
            const changed = {
              ...first,
              [column]: other((first as Record<string, unknown>)[column]),
            }
            const name = `${table}.${column}`
            expect([name, computeStateHash({ ...rows, [table]: [changed, ...rest] })]).not.toEqual([
              name,
              hash,
            ])
          }
          expect(computeStateHash({ ...rows, [table]: rest })).not.toBe(hash)
        }
      }),
      { seed: 32, numRuns: 3 },
    )
  })

  test('distinguishes a null from an empty or zero value', () => {
    const row = {
      chainId: 1,
      address: '0x' as const,
      minAuctionDuration: 0,
      firmSeconds: 0,
      pickupWindow: 0,
      executionWindow: 0,
      settlementGrace: 0,
      registry: '0x' as const,
      treasury: '0x' as const,
      forfeitReceiver: '0x' as const,
      creationPaused: false,
      deployedBlock: 0,
    }
    const changes = [{}, { registry: null }, { registry: '' }, { pickupWindow: null }]
    const hashes = changes.map((change) =>
      computeStateHash({ bridge: [{ ...row, ...change } as never] }),
    )
    expect(new Set(hashes).size).toBe(4)
  })
})

function rowsOf(store: InMemoryRowStore): ChainRows {
  return Object.fromEntries(TABLE_NAMES.map((table) => [table, store.rows(table)]))
}

function mapRows(rows: ChainRows, change: (of: AnyRow[]) => AnyRow[]): ChainRows {
  const tables = Object.entries(rows) as [TableName, AnyRow[]][]
  return Object.fromEntries(tables.map(([table, of]) => [table, change(of)]))
}

function turned(row: AnyRow): AnyRow {
  return Object.fromEntries(Object.entries(row).toReversed()) as AnyRow
}

function other(value: unknown): unknown {
  if (typeof value === 'bigint') return value + 1n
  if (typeof value === 'number') return value + 1
  if (typeof value === 'boolean') return !value
  if (typeof value === 'string') return `${value}0`
  return value === null ? 1 : { ...(value as object), more: '1' }
}
