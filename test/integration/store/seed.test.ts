import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { InMemoryRowStore } from '../../../core/rows/inMemoryRowStore.ts'
import { selectList } from '../../../services/store/database/columnSql.ts'
import { type OpenDatabase, openDatabase } from '../../../services/store/database/openDatabase.ts'
import { fromEventRow } from '../../../src/projection/eventRow.ts'
import { keyText } from '../../../src/projection/rowKeys.ts'
import type { EventRow, Rows, TableName } from '../../../src/projection/rowTypes.ts'
import { TABLE_NAMES, TABLES } from '../../../src/table/tableShapes.ts'
import { BRIDGE } from '../../../tools/seed/bridgeStatements.ts'
import { NotSeedableError, seedDatabase } from '../../../tools/seed/seedDatabase.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'

const UNTIL = 1_790_000_000

let postgres: PostgresUnderTest
let database: OpenDatabase

beforeAll(async () => {
  // Its snapshots would keep pages from being marked at random.
  postgres = await startPostgresUnderTest({ autovacuum: 'off' })
  database = openDatabase({ databaseUrl: postgres.databaseUrl })
})

afterAll(async () => {
  await database?.close()
  await postgres?.stop()
})

async function readTable<Table extends TableName>(table: Table): Promise<Rows[Table][]> {
  const { sqlName } = TABLES[table]
  const query = sql<
    Rows[Table]
  >`select ${sql.raw(selectList(table, 't'))} from ${sql.table(`cairn.${sqlName}`)} t`
  return (await query.execute(database.db)).rows
}

function byPlace(a: EventRow, b: EventRow): number {
  return a.chainId - b.chainId || a.blockNumber - b.blockNumber || a.logIndex - b.logIndex
}

test('every seeded row equals the reducer’s for the seeded events', async () => {
  await seedDatabase({ databaseUrl: postgres.databaseUrl, intents: 3_000, seed: 7, until: UNTIL })
  const events = await readTable('event')
  const folded = new InMemoryRowStore()
  for (const row of events.toSorted(byPlace)) folded.fold(fromEventRow(row, BRIDGE))

  for (const table of TABLE_NAMES) {
    const found = await readTable(table)
    const key = (row: (typeof found)[number]) => keyText(table, row)
    const expected = new Map(folded.rows(table).map((row) => [key(row), row]))
    expect(found.length, table).toBe(expected.size)
    for (const row of found) expect(row, table).toEqual(expected.get(key(row)))
  }
  const phases = new Set((await readTable('intent')).map(({ phase }) => phase))
  expect([...phases].sort()).toEqual(
    ['open', 'bidding', 'deposited', 'completed', 'cancelled', 'expired', 'failed'].sort(),
  )
})

test('seeding marks every page as visible, which index-only scans need', async () => {
  await seedDatabase({ databaseUrl: postgres.databaseUrl, intents: 20, seed: 3, until: UNTIL })
  const { rows } = await sql`select relname from pg_class where relkind = 'r'
    and relnamespace::regnamespace::text like '%seeded' and relname in ('intent', 'event', 'bid')
    and relallvisible < relpages`.execute(database.db)
  expect(rows).toEqual([])
})

test('the same seed gives the same history, and another seed a different one', async () => {
  const hashesOf = async (seed: number) => {
    await seedDatabase({ databaseUrl: postgres.databaseUrl, intents: 20, seed, until: UNTIL })
    return (await readTable('intent')).map((intent) =>
      JSON.stringify([intent.sender, intent.phase]),
    )
  }
  const first = await hashesOf(1)
  expect(await hashesOf(1)).toEqual(first)
  expect(await hashesOf(2)).not.toEqual(first)
})

test('seeding leaves a database with a real index unchanged', async () => {
  await sql`insert into app.projection (schema_name, chain_id, chain_name, build, active)
    values ('cairn_1_abcdef01', 1, 'ethereum_mainnet', 'abcdef01', true)`.execute(database.db)
  const seeding = seedDatabase({
    databaseUrl: postgres.databaseUrl,
    intents: 2,
    seed: 1,
    until: UNTIL,
  })
  await expect(seeding).rejects.toThrow(NotSeedableError)
  await sql`delete from app.projection where chain_id = 1`.execute(database.db)
  expect((await readTable('intent')).length).toBe(20)
})
