import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LIVE_SECONDS, PRICED_SECONDS } from '../../../api/rest/quotes/pairActivity.ts'
import { REFUND_STATUSES } from '../../../core/intent/refundSql.ts'
import { STATUSES, type Status } from '../../../core/intent/status.ts'
import { daySpendingQuery } from '../../../services/relayer/recipients/sponsored/sponsorBudget.ts'
import { findRemovedChain } from '../../../services/relayer/reconciler/findRemovedChain.ts'
import { findWrongRoot } from '../../../services/relayer/reconciler/findWrongRoot.ts'
import { listStuckQuery } from '../../../services/relayer/settlement/listStuckIntents.ts'
import { scanQuery } from '../../../services/store/asOf/listIntentsAsOf.ts'
import { type ChainHeads, readChainStates } from '../../../services/store/chains/readChainStates.ts'
import { type OpenDatabase, openDatabase } from '../../../services/store/database/openDatabase.ts'
import { listEvents, placeOfEvent } from '../../../services/store/events/listEvents.ts'
import { countUpTo } from '../../../services/store/intents/countIntents.ts'
import type { IntentFilter } from '../../../services/store/intents/intentFilter.ts'
import {
  findCandidates,
  findIntentKeys,
  loadIntents,
} from '../../../services/store/intents/intentLookup.ts'
import {
  INTENT_SORT_COLUMNS,
  type IntentPlace,
  type IntentSortOrder,
  placeOf,
} from '../../../services/store/intents/intentSortOrder.ts'
import { listAuctionBatches } from '../../../services/store/intents/listAuctionBatches.ts'
import { listIntents, listIntentVersions } from '../../../services/store/intents/listIntents.ts'
import { loadOrdersAsOf } from '../../../services/store/orders/loadOrdersAsOf.ts'
import { loadBidders, loadCompletedIntents } from '../../../services/store/quotes/quoteInputs.ts'
import { SOLVER_BIDS } from '../../../services/store/solvers/solverBids.ts'
import { SOLVER_DELIVERIES } from '../../../services/store/solvers/solverDeliveries.ts'
import { seedDatabase } from '../../../tools/seed/seedDatabase.ts'
import { accountOf, tokenOf } from '../../../tools/seed/seedSqlFunctions.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'
import {
  blocksRead,
  explainStatement,
  largestSort,
  type PlanNode,
  rowsTouched,
  tablesScanned,
} from './explainedPlan.ts'

/**
 * So many that a plan which reads them all shows; a million with `npm run test:explain`.
 *
 * Seeding takes its time: `CAIRN_SEEDED_DATABASE` names a database that was seeded before, with the
 * same numbers.
 */
const INTENTS = Number(process.env.EXPLAIN_INTENTS ?? 100_000)
const UNTIL = 1_790_000_000
const PAGE = 50
const BASE = 84_532
const HORIZEN = 2_651_420
const MIDDLE = UNTIL - INTENTS

let postgres: PostgresUnderTest | undefined
let database: OpenDatabase
let heads: ChainHeads

beforeAll(async () => {
  const databaseUrl = process.env.CAIRN_SEEDED_DATABASE ?? (await seedHere())
  database = openDatabase({ databaseUrl, statementTimeoutMs: 60_000 })
  const { ready } = await readChainStates(database.db)
  heads = new Map(ready.map(({ chainId, head }) => [chainId, head]))
}, 1_800_000)

async function seedHere(): Promise<string> {
  // Autovacuum would change plans at a time of its own.
  postgres = await startPostgresUnderTest({ shared_buffers: '512MB', autovacuum: 'off' })
  const { databaseUrl } = postgres
  await seedDatabase({ databaseUrl, intents: INTENTS, seed: 1, until: UNTIL })
  return databaseUrl
}

afterAll(async () => {
  await database?.close()
  await postgres?.stop()
})

const NEWEST: IntentSortOrder = { by: 'createdAt', direction: 'desc' }

type List = { filter?: IntentFilter; order?: IntentSortOrder; after?: IntentPlace }

function listPlan({ filter = {}, order = NEWEST, after }: List): Promise<PlanNode[]> {
  return explainStatement(database, (db) =>
    listIntents(db, { filter, order, after, limit: PAGE + 1, heads }),
  )
}

/** The place of the last row of a page in the middle of an order. */
async function placeWithin(filter: IntentFilter, order: IntentSortOrder): Promise<IntentPlace> {
  const bounds: IntentFilter = { ...filter, createdAt: { from: MIDDLE - 100_000, to: MIDDLE } }
  const rows = await listIntents(database.db, { filter: bounds, order, limit: PAGE, heads })
  return placeOf(rows.at(-1)!.source, order)
}

function expectIndexed(plan: PlanNode[]): void {
  // The plan must be one that could show the fault: these tables are what it reads.
  expect(plan.some((node) => node['Index Name'] !== undefined)).toBe(true)
  expect(tablesScanned(plan).filter((table) => BIG.has(table))).toEqual([])
}

/** A page's rows are found, not sorted out of many: at most some pages a branch and chain are touched. */
function expectPageOnly(plan: PlanNode[]): void {
  expectIndexed(plan)
  expect(largestSort(plan)).toBeLessThanOrEqual(6 * (PAGE + 1))
  expect(rowsTouched(plan, 'intent')).toBeLessThanOrEqual(100 * (PAGE + 1))
  // Far fewer than the table has.
  expect(blocksRead(plan)).toBeLessThan(INTENTS / 30)
}

const BIG = new Set(['intent', 'event', 'bid', 'delivery', 'change_log'])

describe.each(INTENT_SORT_COLUMNS)('ordered by %s', (by) => {
  test.each([
    'asc',
    'desc',
  ] as const)('%s: first page and a page in the middle', async (direction) => {
    const order: IntentSortOrder = { by, direction }
    expectPageOnly(await listPlan({ order }))
    expectPageOnly(await listPlan({ order, after: await placeWithin({}, order) }))
  })

  test.each(STATUSES)('with status %s', async (status) => {
    const order: IntentSortOrder = { by, direction: 'desc' }
    expectIndexed(await listPlan({ filter: { statuses: [status] }, order }))
  })
})

/** Statuses that the middle of the history still has. */
const LASTING: Status[] = ['settled', 'completed', 'failed', 'expired', 'cancelled']

describe('newest first, by status', () => {
  test.each(STATUSES)('%s: first page', async (status) => {
    expectPageOnly(await listPlan({ filter: { statuses: [status] } }))
  })

  test.each(LASTING)('%s: a page in the middle', async (status) => {
    const filter = { statuses: [status] }
    expectPageOnly(await listPlan({ filter, after: await placeWithin(filter, NEWEST) }))
  })

  test.each(REFUND_STATUSES)('with a refund that is %s: first page, and counted', async (word) => {
    const filter = { refunds: [word] }
    expectPageOnly(await listPlan({ filter }))
    expectIndexed(await explainStatement(database, (db) => countUpTo(db, filter, heads)))
  })

  test('all statuses together', async () => {
    expectPageOnly(await listPlan({ filter: { statuses: STATUSES } }))
  })
})

const RARE_TOKEN = { [BASE]: tokenOf('ZEN', BASE), [HORIZEN]: tokenOf('ZEN', HORIZEN) }

const FILTERS: [string, IntentFilter][] = [
  ['sourceChainId', { sourceChainId: BASE }],
  ['destChainId', { destChainId: BASE }],
  ['both chains', { sourceChainId: BASE, destChainId: HORIZEN }],
  ['sender', { sender: accountOf('sender', 4) }],
  ['solver', { solver: accountOf('solver', 4) }],
  ['bestBidder', { bestBidder: accountOf('solver', 4) }],
  ['tokenA', { tokenA: RARE_TOKEN[BASE]! }],
  ['tokenB', { tokenB: RARE_TOKEN[BASE]! }],
  ['tokenA, common', { tokenA: tokenOf('USDC', BASE) }],
  ['feeBps', { feeBps: 700 }],
  ['createdAt', { createdAt: { from: MIDDLE - 50_000, to: MIDDLE } }],
]

describe('newest first, by filter', () => {
  test.each(FILTERS)('%s: first page and one in the middle', async (_name, filter) => {
    expectPageOnly(await listPlan({ filter }))
    const deeper = { filter, after: await placeWithin({}, NEWEST) }
    expectPageOnly(await listPlan(deeper))
  })

  const ranges: [string, IntentSortOrder['by'], IntentFilter][] = [
    ['endTime', 'endTime', { endTime: { from: MIDDLE, to: MIDDLE + 5_000 } }],
    ['updatedAt', 'updatedAt', { updatedAt: { from: MIDDLE, to: MIDDLE + 5_000 } }],
    ['amountA', 'amountA', { amountA: { from: 10n ** 9n, to: 10n ** 10n } }],
    ['reward', 'reward', { reward: { from: 10n ** 6n, to: 10n ** 9n } }],
    ['fee', 'fee', { fee: { from: 10n ** 6n, to: 10n ** 9n } }],
    ['settledAt', 'settledAt', { settledAt: { from: MIDDLE, to: MIDDLE + 5_000 } }],
  ]
  test.each(ranges)('range of %s, in its own order', async (_name, by, filter) => {
    expectPageOnly(await listPlan({ filter, order: { by, direction: 'asc' } }))
  })
})

describe('keys and sequences only', () => {
  const lists: [string, IntentFilter, IntentSortOrder][] = [
    ['newest first', {}, NEWEST],
    ['of a solver', { solver: accountOf('solver', 4) }, NEWEST],
    ['failed, by amount', { statuses: ['failed'] }, { by: 'amountA', direction: 'asc' }],
  ]
  test.each(lists)('%s', async (_name, filter, order) => {
    const page = { filter, order, limit: PAGE + 1, heads }
    expectIndexed(await explainStatement(database, (db) => listIntentVersions(db, page)))
  })
})

describe('other reads', () => {
  const someone = { sourceChainId: BASE, intentId: (BigInt(BASE) << 64n) + 12_345n }

  test('by id', async () => {
    const plan = await explainStatement(database, (db) => findCandidates(db, someone.intentId))
    expectIndexed(plan)
    expect(rowsTouched(plan, 'intent')).toBe(1)
    expect(rowsTouched(plan, 'event')).toBeLessThan(30)
  })

  test('by ids, a page of them', async () => {
    const keys = Array.from({ length: PAGE }, (_, i) => ({
      sourceChainId: i % 2 ? BASE : HORIZEN,
      intentId: (BigInt(i % 2 ? BASE : HORIZEN) << 64n) + BigInt(1_000 + 7 * i),
    }))
    const plan = await explainStatement(database, (db) =>
      loadIntents(db, keys, { withEvents: true }),
    )
    expectIndexed(plan)
    expect(rowsTouched(plan, 'intent')).toBe(PAGE)
  })

  test('by transaction', async () => {
    const [newest] = await listEvents(database.db, { direction: 'desc', limit: 1 })
    const plan = await explainStatement(database, (db) =>
      findIntentKeys(db, newest!.transactionHash),
    )
    expectIndexed(plan)
    expect(rowsTouched(plan, 'event')).toBe(1)
  })

  test('events of an intent', async () => {
    const page = { filter: { intent: someone }, direction: 'asc', limit: PAGE } as const
    const plan = await explainStatement(database, (db) => listEvents(db, page))
    expectIndexed(plan)
    expect(rowsTouched(plan, 'event')).toBeLessThan(10)
  })

  const eventFilters = [
    ['all', {}],
    ['of a type', { type: 'IntentSolved' }],
    ['of a chain', { chainId: BASE }],
    ['of a time', { blockTimestamp: { from: MIDDLE, to: MIDDLE + 10_000 } }],
    ['of two types', { typeIn: ['IntentSolved', 'IntentSettled'] }],
    ['of both chains', { chainIdIn: [BASE, HORIZEN] }],
  ] as const
  test.each(eventFilters)('events: %s', async (_name, filter) => {
    const middle = { blockTimestamp: { from: MIDDLE, to: MIDDLE + 1_000 } }
    const newest = { filter: middle, direction: 'desc', limit: 1 } as const
    const [row] = await listEvents(database.db, newest)
    const pages = [undefined, placeOfEvent(row!)].flatMap((after) =>
      (['asc', 'desc'] as const).map((direction) => ({ filter, direction, after, limit: PAGE })),
    )
    for (const page of pages) {
      const plan = await explainStatement(database, (db) => listEvents(db, page))
      expect(blocksRead(plan)).toBeLessThan(2_000)
      expectIndexed(plan)
      expect(rowsTouched(plan, 'event')).toBeLessThanOrEqual(100 * PAGE)
      expect(largestSort(plan)).toBeLessThanOrEqual(PAGE)
    }
  })

  test.each(['asc', 'desc'] as const)('events of a sender’s intents, %s', async (direction) => {
    const sender = accountOf('sender', 4)
    const { rows } = await database.pool.query(
      'select count(*)::integer as created from cairn.intent where sender = $1',
      [sender],
    )
    const page = { filter: { sender }, direction, limit: PAGE } as const
    const plan = await explainStatement(database, (db) => listEvents(db, page))
    expectIndexed(plan)
    // By its intents, or by time as far as a page of its events goes.
    expect(rowsTouched(plan, 'event')).toBeLessThanOrEqual(
      Math.max(30 * rows[0].created, INTENTS / 5),
    )
  })

  test('events of a type or of a transaction: each by an index of its own', async () => {
    const middle = { blockTimestamp: { from: MIDDLE, to: MIDDLE + 1_000 } }
    const newest = { filter: middle, direction: 'desc', limit: 1 } as const
    const [row] = await listEvents(database.db, newest)
    const type = { type: 'IntentSolved' } as const
    const filter = [type, { transactionHash: row!.transactionHash, not: [type] }]
    const plan = await explainStatement(database, (db) =>
      listEvents(db, { filter, direction: 'desc', limit: PAGE }),
    )
    expectIndexed(plan)
    expect(rowsTouched(plan, 'event')).toBeLessThanOrEqual(3 * PAGE)
  })

  const acts = [
    ['bids', SOLVER_BIDS],
    ['deliveries', SOLVER_DELIVERIES],
  ] as const
  test.each(acts)('a solver’s %s: first page and a later one', async (_name, acts) => {
    const { list, cursorOf, placeIn } = acts
    const asked = { solver: accountOf('solver', 1), filter: {} }
    const page = { direction: 'desc', fromEnd: false, limit: PAGE } as const
    const rows = await list(database.db, asked, page)
    expect(rows).toHaveLength(PAGE)
    for (const after of [undefined, placeIn(cursorOf(rows.at(-1) as never))]) {
      const plan = await explainStatement(database, (db) => list(db, asked, { ...page, after }))
      expectIndexed(plan)
      expect(blocksRead(plan)).toBeLessThan(1_000)
      expect(largestSort(plan)).toBeLessThanOrEqual(3 * PAGE)
    }
  })

  test('batches', async () => {
    const plan = await explainStatement(database, (db) => listAuctionBatches(db, {}, heads))
    expectIndexed(plan)
    expect(rowsTouched(plan, 'intent')).toBeLessThan(1_000)
  })

  test('a quote’s basis: only the token’s intents of one day are read', async () => {
    const [sourceChainId, destChainId] = [BASE, HORIZEN]
    const tokens = { tokenA: tokenOf('USDC', BASE), tokenB: tokenOf('USDC', HORIZEN) }
    const pair = { sourceChainId, destChainId, ...tokens }
    const createdSince = UNTIL - PRICED_SECONDS
    const { rows } = await database.pool.query(
      `select count(*)::integer as day from cairn.intent
       where token_a = $1 and created_at >= $2`,
      [pair.tokenA, createdSince],
    )
    const completed = await explainStatement(database, (db) =>
      loadCompletedIntents(db, pair, createdSince),
    )
    expectIndexed(completed)
    expect(rowsTouched(completed, 'intent')).toBeLessThanOrEqual(1.2 * rows[0].day + 100)
    const window = { createdSince, since: UNTIL - LIVE_SECONDS }
    const bidders = await explainStatement(database, (db) => loadBidders(db, pair, window))
    expectIndexed(bidders)
    expect(rowsTouched(bidders, 'bid')).toBeLessThanOrEqual(200 * 20)
  })

  const counts: [string, IntentFilter][] = [
    ['everything', {}],
    ['a pair', { sourceChainId: BASE, tokenA: tokenOf('USDC', BASE) }],
    ['a sender', { sender: accountOf('sender', 4) }],
    ['a solver', { solver: accountOf('solver', 4) }],
    ['solving', { statuses: ['solving'] }],
    ['pending', { statuses: ['pending'] }],
  ]
  test.each(counts)('count: %s', async (_name, filter) => {
    const plan = await explainStatement(database, (db) => countUpTo(db, filter, heads))
    expectIndexedOrSmall(plan)
  })

  test('count by a status that depends on deliveries: up to 1,000 of them', async () => {
    const filter: IntentFilter = { statuses: ['failed'] }
    expect(await countUpTo(database.db, filter, heads)).toMatchObject({ isExact: false })
    const plan = await explainStatement(database, (db) => countUpTo(db, filter, heads))
    expectIndexedOrSmall(plan)
    // Each may be looked up among the deliveries of both chains.
    expect(rowsTouched(plan, 'delivery')).toBeLessThanOrEqual(3 * 1_001)
  })
})

describe('operators’ reads', () => {
  test('stuck intents: only unfinished intents are read', async () => {
    const { rows } = await database.pool.query(
      `select count(*)::integer as under_way from cairn.intent
       where phase in ('open', 'bidding', 'deposited')`,
    )
    const plan = await explainStatement(database, listStuckQuery({ afterSeconds: 60, limit: 100 }))
    expectIndexed(plan)
    // Two of its branches look at intents: whose recipients never came, and whose blobs name nobody.
    expect(rowsTouched(plan, 'intent')).toBeLessThanOrEqual(2 * rows[0].under_way + 100)
  })

  const chain = { chainId: BASE, name: 'base_sepolia' } as const

  test('whether the root opens the chain’s blobs: only the latest are read, though no creation carries one', async () => {
    const keys = { keyId: '0x01020304' as const, previousKeyIds: [] }
    const plan = await explainStatement(database, (db) => findWrongRoot(db, chain, keys))
    expectIndexed(plan)
    expect(rowsTouched(plan, 'event')).toBe(1_000)
    expect(await findWrongRoot(database.db, chain, keys)).toMatchObject({
      code: 'WRONG_ROOT',
      cause: expect.stringContaining('0 of 500 recovery blobs'),
    })
  })

  test('deliveries on a removed chain: only intents that wait for one are read', async () => {
    const { rows } = await database.pool.query(
      `select count(*)::integer as waiting from cairn.intent where phase = 'deposited'`,
    )
    const plan = await explainStatement(database, (db) =>
      findRemovedChain({ db, chains: [chain] }, chain),
    )
    expectIndexed(plan)
    expect(rowsTouched(plan, 'intent')).toBeLessThanOrEqual(rows[0].waiting)
  })

  test('gas paid in a day: only that day’s transactions are read', async () => {
    const client = await database.pool.connect()
    try {
      await client.query('begin')
      // It writes the totals for each row: in one transaction, each time behind all earlier versions of the same row.
      await client.query('alter table app.sponsored_transaction disable trigger count_sponsored')
      await client.query(
        `with t as (
           insert into app.transaction (kind, chain_id, effect, account, to_address, data, state)
           select 'relaySafe', $1, 'explained ' || n, '0x', '0x', '0x', 'confirmed'
           from generate_series(1, 120000) n returning id)
         insert into app.sponsored_transaction (transaction_id, kind, chain_id, safe_address,
           reserved_wei, spent_wei, requested_at)
         select id, 'relaySafe', $1, '0x' || lpad(to_hex(id % 10000), 40, '0'), 2, 1,
           now() - interval '1 minute' * id from t`,
        [BASE],
      )
      await client.query('analyze app.sponsored_transaction')
      const plan = await explainStatement({ ...database, pool: client }, daySpendingQuery())
      expect(tablesScanned(plan)).toEqual([])
      expect(rowsTouched(plan, 'sponsored_transaction')).toBeLessThanOrEqual(24 * 60)
    } finally {
      await client.query('rollback')
      client.release()
    }
  })
})

describe('as of the middle of the history', () => {
  const lists: [IntentSortOrder['by'], IntentFilter][] = [
    ['createdAt', {}],
    ['createdAt', { statuses: ['pending'] }],
    ['amountA', { statuses: ['failed'] }],
    ['endTime', { statuses: ['expired', 'completed'] }],
    ['reward', { bestBidder: accountOf('solver', 4) }],
  ]
  test.each(lists)('by %s, %j: a statement looks at 5,000 intents at most', async (by, filter) => {
    const { ready } = await readChainStates(database.db)
    const clock = { blockNumber: null, timestamp: MIDDLE }
    const cutoffs = new Map(ready.map(({ chainId }) => [chainId, clock]))
    const asOf = { cutoffs, chains: { ready, backfilling: [], heads } }
    const part = {
      filter,
      order: { by, direction: 'desc' },
      after: undefined,
      limit: PAGE,
    } as const
    const effort = { requested: PAGE + 1, rows: 5_000, folds: PAGE + 6 }
    const plan = await explainStatement(database, scanQuery({ ...part, ...effort }, asOf))
    expectIndexed(plan)
    expect(rowsTouched(plan, 'intent')).toBeLessThanOrEqual(5_100)
    expect(rowsTouched(plan, 'event')).toBeLessThanOrEqual(30 * PAGE)
  })

  test('orders: their events are found by their two transactions', async () => {
    const { rows } = await database.pool.query(
      `select chain_id::integer as "chainId", order_id as "orderId" from cairn.scheduled_order
       where close_tx_hash is not null order by order_id limit ${PAGE}`,
    )
    expect(rows).toHaveLength(PAGE)
    const clock = { blockNumber: null, timestamp: MIDDLE }
    const cutoffs = new Map([BASE, HORIZEN].map((chain) => [chain, clock]))
    const plan = await explainStatement(database, (db) => loadOrdersAsOf(db, rows, cutoffs))
    expectIndexed(plan)
    expect(plan.map((node) => node['Index Name'])).toContainEqual(
      expect.stringContaining('transaction'),
    )
    expect(rowsTouched(plan, 'event')).toBeLessThanOrEqual(20 * PAGE)
  })
})

function expectIndexedOrSmall(plan: PlanNode[]): void {
  expect(tablesScanned(plan).filter((table) => BIG.has(table))).toEqual([])
}
