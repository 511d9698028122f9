import type { KyselyPlugin } from 'kysely'
import { type Hex, keccak256, toHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findSafes } from '../../../services/relayer/recipients/entries/findStealthEntries.ts'
import { migrate } from '../../../services/store/database/migrate.ts'
import { type OpenDatabase, openDatabase } from '../../../services/store/database/openDatabase.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'

const CHAIN = 84532

let postgres: PostgresUnderTest
let database: OpenDatabase
beforeAll(async () => {
  postgres = await startPostgresUnderTest()
  await migrate(postgres.databaseUrl)
  database = openDatabase({ databaseUrl: postgres.databaseUrl })
})
afterAll(async () => {
  await database?.close()
  await postgres?.stop()
})

const addressOf = (name: string) => keccak256(toHex(name)).slice(0, 42) as Hex
const plain = addressOf('somebody')

/** Inserts Safes up to this number. */
async function insertSafes(from: number, to: number): Promise<void> {
  const safes = Array.from({ length: to - from }, (_, at) => addressOf(`Safe ${from + at}`))
  await database.pool.query(
    `insert into app.stealth_entry (tag, chain_id, intent_id, stealth_address, ephemeral_pub_key,
       view_tag, safe_address, salt_nonce, ticket, created_at)
     select sha256(safe::bytea), $1, 1, safe, decode(repeat('04', 65), 'hex'), 1, safe,
       '9'::numeric ^ 76, decode(repeat('01', 98), 'hex'), 1
     from unnest($2::text[]) as safe`,
    [CHAIN, safes],
  )
}

/** What a server logs that is told to log its statements. */
function noteStatements() {
  const statements: string[] = []
  const noting: KyselyPlugin = {
    transformQuery: ({ node }) => {
      statements.push(JSON.stringify(node))
      return node
    },
    transformResult: async ({ result }) => result,
  }
  return { statements, noted: database.db.withPlugin(noting) }
}

test.each([
  [200, 0],
  [2_000, 1],
  [20_000, 2],
])('of %i Safes the named ones are found by %i digits, too few to check guesses', async (safes, digits) => {
  await insertSafes(safes === 200 ? 0 : safes / 10, safes)
  const { statements, noted } = noteStatements()
  const named = addressOf('Safe 7')
  const found = await findSafes(noted, CHAIN, [plain, named])
  expect(found).toEqual([{ safeAddress: named, ticket: `0x${'01'.repeat(98)}` }])
  for (const recipient of [plain, named])
    expect(statements.join()).not.toContain(recipient.slice(0, 2 + digits + 1))
})

test('no statement tells which of the Safes with the same first digits is named', async () => {
  await database.pool.query('truncate app.stealth_entry cascade')
  await insertSafes(0, 200)
  const logs = ['Safe 7', 'Safe 8', 'somebody'].map(async (name) => {
    const { statements, noted } = noteStatements()
    await findSafes(noted, CHAIN, [addressOf(name)])
    return statements
  })
  const [first, ...others] = await Promise.all(logs)
  for (const other of others) expect(other).toEqual(first)
})
