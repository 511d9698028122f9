import fc from 'fast-check'
import { expect, test } from 'vitest'
import { WorkingRows, type WrittenRows } from '../../../services/indexer/fold/workingRows.ts'
import type { ChainEvent } from '../../../src/event/chainEvent.ts'
import { keyText } from '../../../src/projection/rowKeys.ts'
import type { AnyKey, AnyRow, TableName } from '../../../src/projection/rowTypes.ts'
import { TABLE_NAMES } from '../../../src/table/tableShapes.ts'
import { foldRows } from '../projection/model/foldRows.ts'
import { anyWorld } from '../projection/model/randomHistory.ts'

const textOf = (table: TableName, row: object) => keyText(table, row as AnyKey)

/** A database in which a page's rows only become readable once the next page has been folded. */
class Database {
  readonly tables = new Map(TABLE_NAMES.map((table) => [table, new Map<string, AnyRow>()]))
  #pending: WrittenRows = new Map()

  write(written: WrittenRows): void {
    this.commit()
    this.#pending = written
  }

  commit(): void {
    for (const [table, { inserted, replaced }] of this.#pending) {
      const rows = this.tables.get(table) as Map<string, AnyRow>
      for (const row of inserted) {
        expect([table, rows.has(textOf(table, row))]).toEqual([table, false])
        rows.set(textOf(table, row), row)
      }
      for (const row of replaced) {
        expect([table, rows.has(textOf(table, row))]).toEqual([table, true])
        rows.set(textOf(table, row), row)
      }
    }
    this.#pending = new Map()
  }

  read(table: TableName, key: object): AnyRow {
    return this.tables.get(table)?.get(textOf(table, key)) as AnyRow
  }
}

/** Pages of whole blocks. */
function* splitIntoPages(events: readonly ChainEvent[], size: number): Generator<ChainEvent[]> {
  const blockAt = (place: number) => events[place]?.point.blockNumber
  for (let first = 0, next = 0; first < events.length; first = next) {
    next = Math.min(first + size, events.length)
    while (next < events.length && blockAt(next) === blockAt(next - 1)) next += 1
    yield events.slice(first, next)
  }
}

function foldInPages(events: readonly ChainEvent[], pageSize: number, limit: number): Database {
  const database = new Database()
  const rows = new WorkingRows({ isEmpty: true, limit })
  for (const page of splitIntoPages(events, pageSize)) {
    for (const key of rows.missingIntents(page)) rows.load('intent', database.read('intent', key))
    for (const event of page) rows.fold(event)
    database.commit()
    rows.endPage()
    database.write(rows.drainWritten())
  }
  database.commit()
  return database
}

test('the rows are those of a replay, however few intents are cached', () => {
  fc.assert(
    fc.property(
      anyWorld(120),
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ min: 0, max: 6 }),
      ({ a, b }, pageSize, limit) => {
        for (const { events } of [a, b]) {
          const { tables } = foldInPages(events, pageSize, limit)
          const replayed = foldRows(events)
          for (const table of TABLE_NAMES)
            expect(new Set(tables.get(table)?.values())).toEqual(new Set(replayed.rows(table)))
        }
      },
    ),
    { numRuns: 40 },
  )
})
