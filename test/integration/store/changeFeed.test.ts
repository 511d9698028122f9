import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { markStarting } from '../../../services/indexer/tables/prepareSchema.ts'
import { createChainStateCache } from '../../../services/store/chains/chainStateCache.ts'
import {
  type ChangeFeed,
  type FeedEvent,
  startChangeFeed,
} from '../../../services/store/changes/changeFeed.ts'
import {
  type Db,
  type OpenDatabase,
  openDatabase,
} from '../../../services/store/database/openDatabase.ts'
import { createIntentCache } from '../../../services/store/intents/intentCache.ts'
import { seedDatabase } from '../../../tools/seed/seedDatabase.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'

const ID = (84_532n << 64n) + 5n
const HEAD = 1_790_000_000

let postgres: PostgresUnderTest
let database: OpenDatabase
const feeds: ChangeFeed[] = []

beforeAll(async () => {
  postgres = await startPostgresUnderTest()
  const { databaseUrl } = postgres
  await seedDatabase({ databaseUrl, intents: 40, seed: 3, until: HEAD })
  database = openDatabase({ databaseUrl })
  await sql`select app.install_row_triggers('cairn_84532_seeded')`.execute(database.db)
})

afterEach(async () => {
  await Promise.all(feeds.splice(0).map((feed) => feed.stop()))
})

afterAll(async () => {
  await database?.close()
  await postgres?.stop()
})

/** A feed that is heard, and everything it has told. */
async function follow(catchUpLimit?: number) {
  const feed = startChangeFeed({
    databaseUrl: postgres.databaseUrl,
    ...(catchUpLimit !== undefined && { catchUpLimit }),
  })
  feeds.push(feed)
  const reported: FeedEvent[] = []
  const waiting = new Set<() => void>()
  feed.subscribe((event) => {
    reported.push(event)
    for (const check of [...waiting]) check()
  })
  const heard = (matches: (event: FeedEvent) => boolean, from = 0) =>
    new Promise<FeedEvent>((resolve) => {
      const check = () => {
        const found = reported.slice(from).find(matches)
        if (!found) return
        waiting.delete(check)
        resolve(found)
      }
      waiting.add(check)
      check()
    })
  await heard(({ kind }) => kind === 'found')
  return { feed, reported, heard }
}

async function bidUp(amount: bigint, db: Db = database.db): Promise<void> {
  await sql`update cairn_84532_seeded.intent set best_bid = ${String(amount)}::numeric
    where intent_id = ${String(ID)}::numeric`.execute(db)
}

/** Moves a chain's indexed head to a time. */
async function moveTo(timestamp: number, db: Db = database.db): Promise<void> {
  await sql`update cairn_84532_seeded._ponder_checkpoint set latest_checkpoint =
    ${String(timestamp)}::text || substr(latest_checkpoint, 11)`.execute(db)
}

/** Ends the feed's connection from the server's side, as a restart would. */
async function cut(db: Db = database.db): Promise<void> {
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'cairn_feed'`.execute(db)
}

type Following = Awaited<ReturnType<typeof follow>>

/** Bids that nobody hears: a feed that comes back can't read the log before they are in it. */
async function bidWhileLost({ reported, heard }: Following, amounts: readonly bigint[]) {
  const from = reported.length
  await database.db.transaction().execute(async (db) => {
    await sql`lock table app.change_log in access exclusive mode`.execute(db)
    await cut()
    await heard(({ kind }) => kind === 'lost', from)
    for (const amount of amounts) await bidUp(amount, db)
  })
  await heard(({ kind }) => kind === 'found', from)
  return reported.slice(from).map(({ kind }) => kind)
}

const isChange = (event: FeedEvent) => event.kind === 'change' && event.change.intentId === ID

test('an unreadable notice, which any database role may send, does not end the feed', async () => {
  const { reported, heard } = await follow()
  for (const payload of [
    '',
    'x',
    'null',
    '{"chainId":1}',
    '{"sequence":"x"}',
    '{"sequence":"1","intentId":"y"}',
  ])
    for (const channel of ['cairn_change', 'cairn_clock'])
      await sql`select pg_notify(${channel}, ${payload})`.execute(database.db)
  const from = reported.length
  expect(reported.filter(({ kind }) => kind === 'clock' || kind === 'change')).toEqual([])
  await bidUp(7_001n)
  expect(await heard(({ kind }) => kind === 'change', from)).toMatchObject({
    change: { table: 'intent', intentId: ID },
  })
})

test('a notice with too high a number hides no change: only the log’s changes are emitted', async () => {
  const feed = await follow()
  const { reported, heard } = feed
  const from = reported.length
  const forged = {
    sequence: String(2n ** 62n),
    sourceChainId: 84_532,
    intentId: String(ID + 1n),
    table: 'intent',
    operation: 'update',
  }
  const forge = () =>
    sql`select pg_notify('cairn_change', ${JSON.stringify(forged)})`.execute(database.db)
  await forge()
  await bidUp(6_001n)
  await heard(isChange, from)
  // Nor one that comes while nobody listens.
  await forge()
  expect(await bidWhileLost(feed, [6_002n])).toEqual(['lost', 'change', 'found'])
  expect(reported.slice(from).filter(({ kind }) => kind === 'change')).toHaveLength(2)
  expect(
    reported.slice(from).filter((event) => event.kind === 'change' && !isChange(event)),
  ).toEqual([])
})

test('a forged clock moves no chain’s clock: what is emitted is read from the chain’s checkpoint', async () => {
  const { feed, heard, reported } = await follow()
  const chains = createChainStateCache(database.db, feed, new Map([[84_532, 5]]))
  const before = (await chains.current()).heads
  const forge = (clock: object) =>
    sql`select pg_notify('cairn_clock', ${JSON.stringify(clock)})`.execute(database.db)
  const { blockNumber, finalizedBlock } = before.get(84_532)!
  const clock = { chainId: 84_532, timestamp: HEAD, blockNumber, finalizedBlock }
  const future = { ...clock, timestamp: HEAD + 10 ** 9, blockNumber: 10 ** 9 }
  await forge({ ...future, finalizedBlock: 'x' })
  expect(await heard(({ kind }) => kind === 'clock')).toEqual({ kind: 'clock', clock })
  expect((await chains.current()).heads).toEqual(before)
  const from = reported.length
  await forge({ ...future, chainId: 1 })
  await forge({ ...future, chainId: '84532' })
  // Notices come in their order: by then the forged ones are done with.
  await bidUp(8_001n)
  await heard(isChange, from)
  expect(reported.slice(from).filter(({ kind }) => kind === 'clock')).toEqual([])
})

test('a clock comes after the changes of its own commit, however many are announced before', async () => {
  const { heard, reported } = await follow()
  const from = reported.length
  for (let second = 1; second <= 20; second++)
    await database.db.transaction().execute(async (db) => {
      await moveTo(HEAD + second, db)
      await bidUp(9_000n + BigInt(second), db)
    })
  await heard(({ kind, ...event }) => 'clock' in event && event.clock.timestamp === HEAD + 20, from)
  let changes = 0
  for (const event of reported.slice(from)) {
    if (event.kind === 'change') changes += 1
    else if (event.kind === 'clock')
      expect(changes).toBeGreaterThanOrEqual(event.clock.timestamp - HEAD)
  }
  await moveTo(HEAD)
})

test('a changed row is emitted with its intent and a growing sequence', async () => {
  const { reported, heard } = await follow()
  await bidUp(100n)
  await heard(isChange)
  await bidUp(101n)
  await heard((event) => isChange(event) && event !== reported.find(isChange))
  const changes = reported.flatMap((event) => (event.kind === 'change' ? [event.change] : []))
  expect(
    changes.map(({ table, operation, sourceChainId }) => [table, operation, sourceChainId]),
  ).toEqual([
    ['intent', 'update', 84_532],
    ['intent', 'update', 84_532],
  ])
  expect(changes[1]!.sequence).toBeGreaterThan(changes[0]!.sequence)
})

test('changes missed by a broken connection are emitted before `found`', async () => {
  const feed = await follow()
  const connected: boolean[] = []
  feed.feed.subscribe(({ kind }) => {
    if (kind === 'lost') connected.push(feed.feed.isConnected())
  })
  expect(await bidWhileLost(feed, [200n])).toEqual(['lost', 'change', 'found'])
  expect([...connected, feed.feed.isConnected()]).toEqual([false, true])
})

test('too many missed changes are reported as a gap', async () => {
  const feed = await follow(1)
  expect(await bidWhileLost(feed, [300n, 301n, 302n])).toEqual(['lost', 'gap', 'found'])
})

test('changes that a failover or a restored backup has lost are a gap, and their numbers hide no later change', async () => {
  const feed = await follow()
  await bidUp(400n)
  const heard = await feed.heard(isChange)
  const { sequence } = (heard as Extract<FeedEvent, { kind: 'change' }>).change
  const from = feed.reported.length
  await database.db.transaction().execute(async (db) => {
    await sql`lock table app.change_log in access exclusive mode`.execute(db)
    await cut()
    await feed.heard(({ kind }) => kind === 'lost', from)
    await sql`delete from app.change_log where sequence = ${String(sequence)}::bigint`.execute(db)
    await sql`select setval(pg_get_serial_sequence('app.change_log', 'sequence'), ${String(sequence - 1n)}::bigint)`.execute(
      db,
    )
    // Another change gets the number of the lost one.
    await bidUp(401n, db)
  })
  await feed.heard(({ kind }) => kind === 'found', from)
  expect(feed.reported.slice(from).map(({ kind }) => kind)).toEqual(['lost', 'gap', 'found'])
  const after = feed.reported.length
  await bidUp(402n)
  expect(await feed.heard(isChange, after)).toMatchObject({ change: { sequence: sequence + 1n } })
})

test('a record is never served older than its notification', async () => {
  const { feed, heard, reported } = await follow()
  const cache = createIntentCache(database.db, feed)
  const bestBid = async () => (await cache.candidates(ID))[0]!.source.bestBid
  for (let amount = 1_000n; amount < 1_030n; amount++) {
    const from = reported.length
    // Readers all the time, so that some read while the row changes.
    const readers = Array.from({ length: 5 }, () => bestBid())
    await bidUp(amount)
    await heard(isChange, from)
    expect(await bestBid()).toBe(amount)
    expect((await cache.candidates(ID))[0]).toBe((await cache.candidates(ID))[0])
    await Promise.all(readers)
    expect(await bestBid()).toBe(amount)
  }
  expect(cache.statistics().hits).toBeGreaterThan(30)
})

test('nothing is served from memory while the feed is interrupted', async () => {
  const { feed, reported, heard } = await follow()
  const cache = createIntentCache(database.db, feed)
  await cache.candidates(ID)
  const unheard: Promise<unknown>[] = []
  feed.subscribe(({ kind }) => {
    // In the very moment of the loss, before anything is found again.
    if (kind === 'lost') unheard.push(bidUp(5_000n).then(() => cache.candidates(ID)))
  })
  const { hits } = cache.statistics()
  const from = reported.length
  await cut()
  await heard(({ kind }) => kind === 'lost', from)
  const [intents] = (await Promise.all(unheard)) as [Awaited<ReturnType<typeof cache.candidates>>]
  expect(intents[0]!.source.bestBid).toBe(5_000n)
  expect(cache.statistics().hits).toBe(hits)
})

test('the cache is bounded and keeps what is requested', async () => {
  const { feed } = await follow()
  const cache = createIntentCache(database.db, feed, 3)
  for (const n of [1n, 2n, 3n, 1n, 4n]) await cache.candidates((84_532n << 64n) + n)
  expect(cache.statistics()).toEqual({ hits: 1, misses: 4, size: 3 })
  await cache.candidates((84_532n << 64n) + 1n)
  expect(cache.statistics().hits).toBe(2)
  await cache.candidates((84_532n << 64n) + 999n)
  expect(cache.statistics().size).toBe(3)
})

test("chains' clocks follow the checkpoint, and a rollback of it", async () => {
  const { feed, heard, reported } = await follow()
  const chains = createChainStateCache(database.db, feed)
  expect((await chains.current()).heads.get(84_532)?.timestamp).toBe(HEAD)
  const known = await chains.current()
  expect(await chains.current()).toBe(known)
  for (const timestamp of [HEAD + 2, HEAD + 4, HEAD]) {
    const from = reported.length
    await moveTo(timestamp)
    await heard(({ kind }) => kind === 'clock', from)
    const { heads } = await chains.current()
    expect(heads.get(84_532)?.timestamp).toBe(timestamp)
    expect(heads.get(2_651_420)?.timestamp).toBe(HEAD)
  }
})

test('the safe mark follows the head at the configured depth, and goes back with it', async () => {
  const { feed, heard, reported } = await follow()
  const chains = createChainStateCache(database.db, feed, new Map([[84_532, 5]]))
  const marks = async () => (await chains.current()).heads.get(84_532)!
  const { blockNumber, finalizedBlock } = await marks()
  expect((await marks()).safeBlock).toBe(Math.max(blockNumber - 5, finalizedBlock))
  for (const block of [blockNumber + 40, blockNumber + 41, blockNumber + 39]) {
    const from = reported.length
    await sql`update cairn_84532_seeded._ponder_checkpoint set latest_checkpoint =
      overlay(latest_checkpoint placing ${String(block).padStart(16, '0')} from 27)`.execute(
      database.db,
    )
    await heard(({ kind }) => kind === 'clock', from)
    expect(await marks()).toMatchObject({ blockNumber: block, safeBlock: block - 5 })
  }
})

test('an indexer that starts uses no number that a lost or restored database may have handed out', async () => {
  const { heard } = await follow()
  const numbers = BigInt(Date.now()) * 1_000n
  await markStarting({ pool: database.pool, schema: 'cairn_84532_seeded' }, 0)
  await bidUp(10_001n)
  const found = await heard(isChange)
  expect((found as Extract<FeedEvent, { kind: 'change' }>).change.sequence).toBeGreaterThan(numbers)
})
