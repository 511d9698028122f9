import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { STATUSES } from '../../../core/intent/status.ts'
import { type ChainHeads, readChainStates } from '../../../services/store/chains/readChainStates.ts'
import { type OpenDatabase, openDatabase } from '../../../services/store/database/openDatabase.ts'
import { countIntents, countUpTo } from '../../../services/store/intents/countIntents.ts'
import type { IntentFilter } from '../../../services/store/intents/intentFilter.ts'
import {
  INTENT_SORT_COLUMNS,
  type IntentSortOrder,
  intentCursor,
  intentPlace,
} from '../../../services/store/intents/intentSortOrder.ts'
import { listIntents } from '../../../services/store/intents/listIntents.ts'
import type { StoredIntent } from '../../../services/store/intents/storedIntent.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { seedDatabase } from '../../../tools/seed/seedDatabase.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'

let postgres: PostgresUnderTest
let database: OpenDatabase
let heads: ChainHeads

beforeAll(async () => {
  postgres = await startPostgresUnderTest()
  const { databaseUrl } = postgres
  await seedDatabase({ databaseUrl, intents: 240, seed: 11, until: 1_790_000_000 })
  database = openDatabase({ databaseUrl })
  // Ties everywhere: few distinct values in every column that orders.
  for (const schema of ['cairn_84532_seeded', 'cairn_2651420_seeded']) {
    await sql`update ${sql.table(`${schema}.intent`)} set created_at = created_at / 200000 * 200000,
      updated_at = updated_at / 200000 * 200000, amount_a = 1 + intent_id % 5, reward = intent_id % 3,
      settled_at = settled_at / 200000 * 200000, fee = case when fee is null then null else intent_id % 4 end`.execute(
      database.db,
    )
  }
  const { ready } = await readChainStates(database.db)
  heads = new Map(ready.map(({ chainId, head }) => [chainId, head]))
})

afterAll(async () => {
  await database?.close()
  await postgres?.stop()
})

const keyOf = ({ source }: StoredIntent) => `${source.sourceChainId}/${source.intentId}`

async function all(filter: IntentFilter, order: IntentSortOrder): Promise<string[]> {
  return (await listIntents(database.db, { filter, order, limit: 10_000, heads })).map(keyOf)
}

/** Walks page by page, each from the cursor of the row before; `between` runs between two pages. */
async function walk(
  filter: IntentFilter,
  order: IntentSortOrder,
  limit: number,
  backwards: boolean,
  between: () => Promise<void> = async () => {},
): Promise<string[]> {
  const seen: string[] = []
  let cursor: string | undefined
  for (;;) {
    const place = cursor === undefined ? undefined : intentPlace(cursor, order)
    const range = backwards ? { before: place, fromEnd: true } : { after: place }
    const page = await listIntents(database.db, { filter, order, limit, heads, ...range })
    if (page.length === 0) return seen
    if (backwards) seen.unshift(...page.map(keyOf))
    else seen.push(...page.map(keyOf))
    cursor = intentCursor(page.at(backwards ? 0 : -1)!.source, order)
    await between()
  }
}

const BY_CREATION: IntentSortOrder = { by: 'createdAt', direction: 'asc' }

const orders: IntentSortOrder[] = INTENT_SORT_COLUMNS.flatMap((by) => [
  { by, direction: 'asc' },
  { by, direction: 'desc' },
])

describe.each(orders)('by $by $direction', (order) => {
  test('forwards and backwards give every row once, in the order', async () => {
    const whole = await all({}, order)
    const settled = (await all({ settledAt: { from: 0 } }, BY_CREATION)).length
    expect(settled).toBeGreaterThan(50)
    const isOfSettled = order.by === 'fee' || order.by === 'settledAt'
    expect(new Set(whole).size).toBe(isOfSettled ? settled : 240)
    const opposite = order.direction === 'asc' ? 'desc' : 'asc'
    expect(await all({}, { by: order.by, direction: opposite })).toEqual(whole.toReversed())
    for (const limit of [7, 50]) {
      expect(await walk({}, order, limit, false)).toEqual(whole)
      expect(await walk({}, order, limit, true)).toEqual(whole)
    }
  })
})

test('under any filter, status, order and page size', async () => {
  const filters = fc.record(
    {
      statuses: fc.uniqueArray(fc.constantFrom(...STATUSES), { minLength: 1 }),
      sourceChainId: fc.constantFrom(84_532, 2_651_420),
      amountA: fc.record({ from: fc.bigInt(1n, 5n), to: fc.bigInt(1n, 5n) }, { requiredKeys: [] }),
    },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(
      filters,
      fc.constantFrom(...orders),
      fc.integer({ min: 1, max: 60 }),
      fc.boolean(),
      async (filter, order, limit, backwards) => {
        const whole = await all(filter, order)
        expect(new Set(whole).size).toBe(whole.length)
        expect(await walk(filter, order, limit, backwards)).toEqual(whole)
      },
    ),
    { seed: 12, numRuns: 40 },
  )
})

test('an empty list of statuses matches nothing', async () => {
  expect(await all({ statuses: [] }, orders[0]!)).toEqual([])
  expect(await countUpTo(database.db, { statuses: [] }, heads)).toEqual({ count: 0, isExact: true })
})

test('any filter is counted exactly, or up to a bound that it says', async () => {
  const { rows } = await sql<{ solver: Hex; token_a: Hex }>`
    select distinct solver, token_a from cairn.intent where solver is not null order by 1, 2`.execute(
    database.db,
  )
  const seldom = (values: Hex[]) => fc.constantFrom(...values, ...values.map(() => undefined))
  const filters: fc.Arbitrary<IntentFilter> = fc.record(
    {
      statuses: fc.subarray([...STATUSES]),
      sourceChainId: fc.constantFrom(84_532, 2_651_420),
      tokenA: seldom(rows.map((row) => row.token_a)),
      solver: seldom(rows.map((row) => row.solver)),
      reward: fc.constant({ from: 1n }),
      not: fc.constant([{ sourceChainId: 84_532, statuses: ['completed' as const] }]),
    },
    { requiredKeys: [] },
  )
  let bounded = 0
  await fc.assert(
    fc.asyncProperty(filters, fc.nat(3), async (filter, most) => {
      const real = (await all(filter, BY_CREATION)).length
      expect(await countIntents(database.db, filter, heads)).toBe(real)
      const { count, isExact } = await countUpTo(database.db, filter, heads, most)
      if (isExact) expect(count).toBe(real)
      else {
        bounded += 1
        expect(count).toBeGreaterThanOrEqual(most)
        expect(count).toBeLessThan(real)
      }
    }),
    { seed: 12, numRuns: 100 },
  )
  expect(bounded).toBeGreaterThan(10)
})

test('the reducer’s counts are exact', async () => {
  const [only] = await listIntents(database.db, {
    filter: { statuses: ['completed'] },
    order: BY_CREATION,
    limit: 1,
    heads,
  })
  const { sourceChainId, destChainId, tokenA, tokenB } = only!.source
  const solver = only!.source.solver!
  const kept: IntentFilter[] = [
    {},
    { sourceChainId, destChainId, tokenA, tokenB },
    { statuses: ['completed', 'cancelled'], tokenA },
    { statuses: STATUSES, sourceChainId },
    { solver, sourceChainId },
    { solver, statuses: ['completed'] },
  ]
  for (const filter of kept) {
    const count = (await all(filter, BY_CREATION)).length
    expect(await countUpTo(database.db, filter, heads, 0)).toEqual({ count, isExact: true })
  }
})

test('rows added while paging neither hide nor repeat others', async () => {
  const order: IntentSortOrder = { by: 'amountA', direction: 'desc' }
  const before = await all({}, order)
  let added = 0
  const insert = async () => {
    added += 1
    const columns = sql.raw(COLUMNS.join(', '))
    await sql`insert into cairn_84532_seeded.intent (intent_id, amount_a, ${columns})
      select intent_id + 1000000 + ${added}::int, ${1 + (added % 6)}::int, ${columns}
      from cairn_84532_seeded.intent order by intent_id limit 1`.execute(database.db)
  }
  const walked = await walk({}, order, 20, false, insert)
  expect(added).toBeGreaterThan(10)
  expect(new Set(walked).size).toBe(walked.length)
  const old = new Set(before)
  expect(walked.filter((key) => old.has(key))).toEqual(before)
  await sql`delete from cairn_84532_seeded.intent where intent_id % 18446744073709551616 > 1000000`.execute(
    database.db,
  )
})

const COLUMNS =
  'source_chain_id params_hash phase sender dest_chain_id token_a token_b expected_amount_b reward end_time firm_at pickup_deadline create_tx_hash created_at created_block quorum blob_count blobs_hash bid_count updated_block updated_at'.split(
    ' ',
  )
