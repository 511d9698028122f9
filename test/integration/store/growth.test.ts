import { sql } from 'kysely'
import type pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { pruneTransactionVersions } from '../../../services/chain/transactions/pruneTransactionVersions.ts'
import { countConfirmed } from '../../../services/chain/transactions/transactionStore.ts'
import { createViews } from '../../../services/indexer/tables/createViews.ts'
import { readRequestedGas } from '../../../services/orders/gas/readRequestedGas.ts'
import { migrateOrdersDatabase } from '../../../services/orders/migrateOrdersDatabase.ts'
import { pruneJournal } from '../../../services/push/journal/keepJournal.ts'
import { collectAll } from '../../../services/push/journal/queueJournalWork.ts'
import { pruneEndpoints } from '../../../services/push/pruneEndpoints.ts'
import {
  createUnreadSearch,
  listSafes,
} from '../../../services/relayer/recipients/safeTransfers/listSafes.ts'
import { DEFAULT_TRANSFER_SETTINGS } from '../../../services/relayer/recipients/safeTransfers/transferFollowerContext.ts'
import { readSpending } from '../../../services/relayer/recipients/sponsored/sponsorBudget.ts'
import { createDoneReactionsCounter } from '../../../services/relayer/reconciler/countDoneReactions.ts'
import { countReactions } from '../../../services/relayer/reconciler/readReactionsHealth.ts'
import { checkJournal } from '../../../services/solver/journal/checkJournal.ts'
import {
  readStats,
  recordIntent,
  recordOutcome,
} from '../../../services/solver/journal/intentJournal.ts'
import { migrateJournal } from '../../../services/solver/journal/migrateJournal.ts'
import type { ChainHead } from '../../../services/store/chains/readChainStates.ts'
import { type OpenDatabase, openDatabase } from '../../../services/store/database/openDatabase.ts'
import { writeRoleHeartbeats } from '../../../services/store/roles/writeRoleHeartbeats.ts'
import { countActiveEndpoints } from '../../../services/store/webhooks/webhookEndpoints.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { until } from '../../rig/until.ts'

/** Rows of a table of which a read needs a few: enough to show in the plan. */
const ROWS = 20_000
const FEW = 200
const CHAIN = 84_532
const ACCOUNT = `0x${'ac'.repeat(20)}` as const
const BRIDGE = `0x${'b1'.repeat(20)}` as const

let postgres: PostgresUnderTest
let database: OpenDatabase
let client: pg.Client

beforeAll(async () => {
  // Autovacuum would add reads at random times.
  postgres = await startPostgresUnderTest({ autovacuum: 'off' })
  const { databaseUrl } = postgres
  await migrateJournal(databaseUrl)
  await migrateOrdersDatabase(databaseUrl)
  // One connection, whose statistics are known after each read.
  database = openDatabase({ databaseUrl, connections: 1 })
  client = await postgres.connect()
  await client.query(
    `insert into app.transaction (kind, chain_id, effect, account, to_address, data, state, nonce, tx_hash, succeeded,
       payer, requested_at, changed_at)
     select (array['bid', 'deposit', 'deliver', 'fundOrder', 'fireTranche'])[1 + n % 5], $1, n || ':0', $2, $3, '0x', 'confirmed', n,
       '0x' || n, true, $2, now() - interval '3 days', now() - interval '3 days' from generate_series(1, $4::integer) n`,
    [CHAIN, ACCOUNT, BRIDGE, ROWS],
  )
  await client.query(
    `insert into app.reaction (kind, source_chain_id, intent_id, state, done_at)
     select 'settle', $1, n, 'done', now() - interval '1 day' from generate_series(1, $2::integer) n`,
    [CHAIN, ROWS],
  )
  await client.query('analyze')
})
afterEach(() =>
  client.query(
    'truncate app.push_event, app.webhook_endpoint, app.push_chain, app.projection cascade',
  ),
)
afterAll(async () => {
  await database?.close()
  await postgres?.stop()
})

/** How many rows of a table `work` reads. */
async function rowsRead(table: string, work: () => Promise<unknown>): Promise<number> {
  const read = async () => {
    await database.pool.query('select pg_stat_force_next_flush()')
    const { rows } = await database.pool.query(
      `select seq_tup_read + coalesce(idx_tup_fetch, 0) as "rows" from pg_stat_user_tables where relid = $1::regclass`,
      [table],
    )
    return Number(rows[0].rows)
  }
  const before = await read()
  await work()
  return (await read()) - before
}

test('a starting sender reads its highest confirmed nonce, not all its transactions', async () => {
  const connection = await database.pool.connect()
  const counted = await countConfirmed(connection, ACCOUNT, CHAIN)
  connection.release()
  expect(counted).toBe(ROWS + 1)
  expect(
    await rowsRead('app.transaction', async () => {
      const again = await database.pool.connect()
      await countConfirmed(again, ACCOUNT, CHAIN)
      again.release()
    }),
  ).toBeLessThan(FEW)
})

test('a starting solver checks its bridges by its latest calls', async () => {
  const chains = [{ chainId: CHAIN, name: 'base_sepolia' as const, bridge: BRIDGE }]
  const check = (bridge: typeof BRIDGE) =>
    checkJournal(database.db, ACCOUNT, [{ ...chains[0]!, bridge }], 1)
  expect(await rowsRead('app.transaction', () => check(BRIDGE))).toBeLessThan(FEW)
  await expect(check(`0x${'b2'.repeat(20)}`)).rejects.toThrow(BRIDGE)
})

test('the gas of an order service’s latest calls is found among all its calls', async () => {
  const read = () =>
    readRequestedGas({ db: database.db, account: ACCOUNT }, { chainId: CHAIN }, null)
  expect(await rowsRead('app.transaction', read)).toBeLessThan(FEW)
})

test('versions of old transactions are deleted in parts, without reading recent ones', async () => {
  const old = 1_000
  await client.query(
    `insert into app.transaction_version (hash, transaction_id, nonce, raw, gas_limit, max_fee, max_priority_fee, signed_at)
     select '0x' || id, id, id, '0x', 0, 0, 0, case when id <= $1 then now() - interval '31 days' else now() end
     from app.transaction`,
    [old],
  )
  await client.query(
    `update app.transaction set changed_at = now() - interval '31 days', state = case id when 7 then 'sent' else state end
     where id <= $1`,
    [old],
  )
  await client.query('analyze app.transaction_version')
  const most = 100
  await refuseMany('app.transaction_version', 'delete', most)
  let deleted = 0
  const prune = async () => {
    deleted = await pruneTransactionVersions(client, { batch: most })
    await client.query('select pg_stat_force_next_flush()')
  }
  expect(await rowsRead('app.transaction_version', prune)).toBeLessThan(5 * old)
  expect(deleted).toBe(old - 1)
  const { rows } = await client.query(
    `select min(transaction_id)::integer as first, count(*)::integer as count from app.transaction_version`,
  )
  expect(rows).toEqual([{ first: 7, count: ROWS - old + 1 }])
  await client.query(`update app.transaction set state = 'confirmed' where id = 7`)
})

/** Refuses statements that insert or delete more rows at once. */
async function refuseMany(
  table: string,
  operation: 'insert' | 'delete',
  most: number,
): Promise<void> {
  const rows = operation === 'insert' ? 'new table' : 'old table'
  await client.query(
    `create or replace function refuse_many() returns trigger language plpgsql as $$
     begin
       if (select count(*) from changed) > tg_argv[0]::integer then raise 'too many at once'; end if;
       return null;
     end $$;
     create trigger refuse_many after ${operation} on ${table} referencing ${rows} as changed
     for each statement execute function refuse_many(${most})`,
  )
}

test('the metrics count what is open, and what was done since the last scrape', async () => {
  const open = () => countReactions(database.db)
  expect(await rowsRead('app.reaction', open)).toBeLessThan(FEW)
  const count = createDoneReactionsCounter(database.db, 0)
  const settled = async () => (await count()).find(({ kind }) => kind === 'settle')
  expect(await settled()).toEqual({ kind: 'settle', count: 0, seconds: 0 })
  await client.query(
    `update app.reaction set done_at = clock_timestamp(), wanted_since = clock_timestamp() - interval '5 seconds'
     where intent_id <= 2`,
  )
  expect(await rowsRead('app.reaction', count)).toBeLessThan(FEW)
  expect(await settled()).toEqual({ kind: 'settle', count: 2, seconds: expect.closeTo(10, 1) })
})

test('a round over Safes reads the newest and those that aren’t quiet', async () => {
  await client.query(
    `with entry as (
       insert into app.stealth_entry (tag, chain_id, intent_id, stealth_address, ephemeral_pub_key, view_tag, safe_address,
         salt_nonce, ticket, created_at)
       select sha256(n::text::bytea), $1, n, '0x' || lpad(n::text, 40, '0'), decode(repeat('04', 65), 'hex'), 1,
         '0x' || lpad(n::text, 40, '0'), 0, '', 1 from generate_series(1, $2::integer) n returning chain_id, safe_address)
     insert into app.followed_safe (chain_id, safe_address, is_quiet, next_block)
     select chain_id, safe_address, safe_address > '0x' || lpad('3', 40, '0'), 1 from entry`,
    [CHAIN, ROWS],
  )
  await client.query('analyze app.stealth_entry, app.followed_safe')
  const search = createUnreadSearch()
  const list = async () => {
    const listed = await listSafes(client, CHAIN, DEFAULT_TRANSFER_SETTINGS, search)
    expect(listed).toHaveLength(3)
    await client.query('select pg_stat_force_next_flush()')
  }
  for (let round = 0; round < 2; round++) await list()
  expect(await rowsRead('app.stealth_entry', list)).toBeLessThan(FEW)
})

test('what sponsored transactions cost is summed up as they are written', async () => {
  const write = (statement: string, values: unknown[] = []) => client.query(statement, values)
  await write(
    `insert into app.sponsored_transaction (transaction_id, kind, chain_id, safe_address, reserved_wei, earlier_wei)
     select id, (array['deploySafe', 'relaySafe'])[1 + id % 2], $1, '0x' || lpad('', 40, '1'), 100, id
     from app.transaction order by id limit 6`,
    [CHAIN],
  )
  const { db } = database
  const totals = async () => (await readSpending(db)).map(({ count, wei }) => [count, Number(wei)])
  // Ids 1 to 6: the earlier cost is the id.
  const [even, odd] = [300 + 2 + 4 + 6, 300 + 1 + 3 + 5]
  expect(await totals()).toEqual([
    [3, even],
    [3, odd],
  ])
  await write('update app.sponsored_transaction set spent_wei = 60 where transaction_id <= 2')
  expect(await totals()).toEqual([
    [3, even - 40],
    [3, odd - 40],
  ])
  await write(`update app.sponsored_transaction set spent_wei = 'NaN' where transaction_id = 1`)
  expect((await totals())[1]).toEqual([3, odd - 101])
  await write('update app.sponsored_transaction set spent_wei = null where transaction_id = 1')
  await write('delete from app.sponsored_transaction where transaction_id in (2, 3)')
  expect(await totals()).toEqual([
    [2, 210],
    [2, 206],
  ])
  expect(await rowsRead('app.sponsored_transaction', totals)).toBe(0)
  await write('truncate app.sponsored_transaction')
  expect(await totals()).toEqual([])
})

test('a solver’s finished intents are counted as they end, and again if a reorg reopens one', async () => {
  const intent = (id: number) => ({ sourceChainId: CHAIN, intentId: BigInt(id) })
  await client.query(
    `insert into solver.intent (account, source_chain_id, intent_id, dest_chain_id, token_a, token_b, amount_a,
       expected_amount_b, reward, end_time, phase)
     select $1, $2, n, 1, '0x', '0x', 1, 1, 1, 1, 'bidding' from generate_series(1, 3) n`,
    [ACCOUNT, CHAIN],
  )
  const { db } = database
  await recordOutcome(db, ACCOUNT, intent(1), 'settled')
  await recordOutcome(db, ACCOUNT, intent(2), 'settled')
  await recordOutcome(db, ACCOUNT, intent(2), 'settled')
  await recordOutcome(db, ACCOUNT, intent(3), 'slashed')
  const stats = { active: 0, settled: 2, lost: 0, slashed: 1, cancelled: 0 }
  expect(await readStats(db, ACCOUNT)).toEqual(stats)
  const reopened = { ...intent(2), destChainId: 1, tokenA: '0x', tokenB: '0x', endTime: 1 }
  const amounts = { amountA: 1n, expectedAmountB: 1n, reward: 1n, fillDeadline: 9 }
  await recordIntent(db, ACCOUNT, { ...reopened, ...amounts } as never, { phase: 'won' as never })
  expect(await readStats(db, ACCOUNT)).toEqual({ ...stats, active: 1, settled: 1 })
  // Not through the trigger: within one transaction, it would update one row again and again.
  await client.query('set session_replication_role = replica')
  await client.query(
    `insert into solver.intent (account, source_chain_id, intent_id, dest_chain_id, token_a, token_b, amount_a,
       expected_amount_b, reward, end_time, phase, outcome)
     select $1, $2, n, 1, '0x', '0x', 1, 1, 1, 1, 'over', 'lost' from generate_series(10, 9 + $3::integer) n`,
    [ACCOUNT, CHAIN, ROWS],
  )
  await client.query('set session_replication_role = origin')
  expect(await rowsRead('solver.intent', () => readStats(db, ACCOUNT))).toBeLessThan(FEW)
})

/** Lines of the journal, from 32 days ago to now, each with a delivery to an active webhook. */
async function fillJournal(lines: number): Promise<void> {
  await client.query(
    `insert into app.webhook_endpoint (endpoint_id, url, chain_id, mode, key_id, sealed_secret)
     values ('hooked', 'https://example.com', $1, 'instant', 'k', '')`,
    [CHAIN],
  )
  await client.query(
    `insert into app.projection (schema_name, chain_id, chain_name, build, active) values ('any', $1, 'any', '', true)`,
    [CHAIN],
  )
  await client.query(`insert into app.push_chain values ($1, 'any', 1, 1, 100 * 86400)`, [CHAIN])
  await client.query(`insert into app.push_cursor (sequence) values (1) on conflict do nothing`)
  await client.query(
    `with line as (
       insert into app.push_event (type, key, chain_id, at, source_chain_id, dest_chain_id, intent_id, sender, data)
       select 'intent.created', 'created', $1, (68 + 32.0 * n / $2) * 86400, $1, 1, n, '0x', '{}'
       from generate_series(1, $2::integer) n returning sequence)
     insert into app.webhook_delivery (endpoint_id, sequence, status) select 'hooked', sequence, 'delivered' from line`,
    [CHAIN, lines],
  )
  await client.query('analyze')
}

test('the journal’s oldest lines are deleted in parts, without reading the others or all deliveries', async () => {
  await fillJournal(ROWS)
  const old = Math.floor(ROWS / 32) - 1
  let deleted = 0
  const prune = async () => {
    deleted = await pruneJournal(database.db, 100)
  }
  const read = await rowsRead('app.webhook_delivery', async () => {
    expect(await rowsRead('app.push_event', prune)).toBeLessThan(10 * old)
  })
  expect(deleted).toBe(old)
  expect(read).toBeLessThan(10 * old)
  const { rows } = await client.query(
    `select count(*)::integer as lines, min(sequence)::bigint as first,
       (select count(*)::integer from app.webhook_delivery) as deliveries,
       (select pruned_to from app.push_cursor) as pruned from app.push_event`,
  )
  const [{ first, pruned, ...left }] = rows
  expect(left).toEqual({ lines: ROWS - old, deliveries: ROWS - old })
  expect(Number(first)).toBe(Number(pruned) + 1)
})

test('the journal of a chain that is taken out of service ages by the other chains’ clock', async () => {
  await fillJournal(320)
  await client.query(`insert into app.push_chain values (1, 'other', 1, 1, 116 * 86400)`)
  expect(await pruneJournal(database.db)).toBe(9)
  await client.query('update app.projection set active = false')
  expect(await pruneJournal(database.db)).toBe(160)
})

test('after an upgrade, a month of the journal is re-examined in small parts', async () => {
  await createViews(client, [])
  await fillJournal(ROWS)
  const most = 2_000
  await refuseMany('app.push_pending', 'insert', most)
  const chain = { chainId: CHAIN, head: { timestamp: 100 * 86_400 } as ChainHead }
  await collectAll(database.db, chain, most)
  const { rows } = await client.query('select count(*)::integer as count from app.push_pending')
  expect(rows).toEqual([{ count: ROWS }])
})

test('webhooks that were disabled for months are deleted, and cost nothing before', async () => {
  await client.query(
    `insert into app.webhook_endpoint (endpoint_id, owner, url, chain_id, mode, key_id, sealed_secret, status, created_at,
       attempted_at, acted_at)
     select n, case when n <> 7 then '0x' end, 'https://example.com', 1, 'instant', 'k', '', case when n <= 3 then 'active' else 'disabled' end,
       now() - interval '100 days', case n when 4 then now() end,
       case n when 5 then extract(epoch from now())::bigint when 6 then 9e18 else 0 end
     from generate_series(1, $1::integer) n`,
    [ROWS],
  )
  await client.query('analyze')
  const { db } = database
  expect(await rowsRead('app.webhook_endpoint', () => countActiveEndpoints(db))).toBeLessThan(FEW)
  expect(await pruneEndpoints(db)).toBe(ROWS - 7)
  const { rows } = await sql<{ id: string }>`
    select endpoint_id as id from app.webhook_endpoint order by 1`.execute(db)
  expect(rows.map(({ id }) => id)).toEqual(['1', '2', '3', '4', '5', '6', '7'])
})

test('a starting instance deletes the status of killed ones', async () => {
  await client.query(
    `insert into app.role_status (role, instance, status, beat_at)
     select role, n, '{}', now() - interval '2 hours'
     from generate_series(1, 50) n, unnest(array['one', 'other']) role`,
  )
  const heartbeats = writeRoleHeartbeats(database.db, 'one', () => ({}))
  const left = async () => {
    const { rows } = await client.query(
      'select role, count(*)::integer as count from app.role_status group by 1 order by 1',
    )
    return rows
  }
  await until(async () => (await left())[0].count === 1, 'forgotten')
  expect(await left()).toEqual([
    { role: 'one', count: 1 },
    { role: 'other', count: 50 },
  ])
  await heartbeats.stop()
})
