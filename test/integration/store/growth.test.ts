import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { pruneTransactionVersions } from '../../../services/chain/transactions/pruneTransactionVersions.ts'
import { countConfirmed } from '../../../services/chain/transactions/transactionStore.ts'
import { readRequestedGas } from '../../../services/orders/gas/readRequestedGas.ts'
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
import { writeRoleHeartbeats } from '../../../services/store/roles/writeRoleHeartbeats.ts'
import { countActiveEndpoints } from '../../../services/store/webhooks/webhookEndpoints.ts'
import { until } from '../../rig/until.ts'
import { describeJournalGrowth } from './describeJournalGrowth.ts'
import {
  ACCOUNT,
  BRIDGE,
  CHAIN,
  client,
  closeTestbed,
  database,
  FEW,
  openTestbed,
  ROWS,
  refuseMany,
  rowsRead,
} from './growthTestbed.ts'

beforeAll(openTestbed)
afterEach(() =>
  client.query(
    'truncate app.push_event, app.webhook_endpoint, app.push_chain, app.projection cascade',
  ),
)
afterAll(closeTestbed)

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
  // The database's clock was set back meanwhile, or a standby's is behind.
  await client.query(
    `update app.reaction set done_at = clock_timestamp(), wanted_since = clock_timestamp() + interval '1 hour'
     where intent_id = 3`,
  )
  expect(await settled()).toEqual({ kind: 'settle', count: 3, seconds: expect.closeTo(10, 1) })
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

describeJournalGrowth()
