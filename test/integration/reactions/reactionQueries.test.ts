import { makeWorkerUtils } from 'graphile-worker'
import { sql } from 'kysely'
import pg from 'pg'
import type { Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRelayerMetrics } from '../../../api/rest/operations/relayerMetrics.ts'
import { reopenTransaction } from '../../../services/chain/transactions/requestAgain.ts'
import { createSilentChainWaker } from '../../../services/chain/transactions/silentChainWaker.ts'
import type { Transaction } from '../../../services/chain/transactions/transactionRow.ts'
import { claimDeliveries } from '../../../services/push/deliver/claimDeliveries.ts'
import { recordDeliveryOutcome } from '../../../services/push/deliver/recordDeliveryOutcome.ts'
import { readPushHealth } from '../../../services/push/pushHealth.ts'
import { readTransfersHealth } from '../../../services/relayer/recipients/safeTransfers/readTransfersHealth.ts'
import { findDesiredEffects } from '../../../services/relayer/reconciler/findDesiredEffects.ts'
import { findIntentsToReconcile } from '../../../services/relayer/reconciler/findIntentsToReconcile.ts'
import {
  loadIntentState,
  ownRowsQuery,
} from '../../../services/relayer/reconciler/loadIntentState.ts'
import { callBridge } from '../../../services/relayer/reconciler/perform/callBridge.ts'
import {
  findGasRefusal,
  isBudgetSpent,
  spentQuery,
} from '../../../services/relayer/reconciler/perform/findGasRefusal.ts'
import {
  readRefundBudget,
  readRefundGas,
} from '../../../services/relayer/reconciler/perform/refundGas.ts'
import {
  createUnpaidGasBudget,
  readUnpaidGas,
} from '../../../services/relayer/reconciler/perform/unpaidGas.ts'
import type { ReactionContext } from '../../../services/relayer/reconciler/reactionContext.ts'
import {
  countReactions,
  countTransactions,
  readReactionsHealth,
  readUnpaidGasShares,
} from '../../../services/relayer/reconciler/readReactionsHealth.ts'
import { isStale, reconcileIntent } from '../../../services/relayer/reconciler/reconcileIntent.ts'
import {
  effectName,
  transactionName,
} from '../../../services/relayer/reconciler/reconcilerEffect.ts'
import { queueReactions } from '../../../services/relayer/reconciler/startQueue.ts'
import { wakeSilentChains } from '../../../services/relayer/reconciler/wakeSilentChains.ts'
import { listStuckIntents } from '../../../services/relayer/settlement/listStuckIntents.ts'
import { readSettlementProgress } from '../../../services/relayer/settlement/readSettlementProgress.ts'
import { listLiveSolvers } from '../../../services/relayer/solvers/listLiveSolvers.ts'
import type { ChainsNow } from '../../../services/store/chains/chainStateCache.ts'
import { type OpenDatabase, openDatabase } from '../../../services/store/database/openDatabase.ts'
import { findCandidates, loadIntents } from '../../../services/store/intents/intentLookup.ts'
import { seedDatabase } from '../../../tools/seed/seedDatabase.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { explainStatement, rowsTouched } from '../store/explainedPlan.ts'

/** The price at which fees count as gas, and the gas that a sender gets beyond what its fees paid for. */
const SHARE = { cap: 1n, ofSender: 3_000_000n }

let postgres: PostgresUnderTest
let database: OpenDatabase

beforeAll(async () => {
  postgres = await startPostgresUnderTest()
  const { databaseUrl } = postgres
  await seedDatabase({ databaseUrl, intents: 2_000, seed: 3, until: 1_790_000_000 })
  database = openDatabase({ databaseUrl })
})
afterAll(async () => {
  await database?.close()
  await postgres?.stop()
})

/** An intent of the seed in this phase. */
async function someIntent(phase: string) {
  const client = await postgres.connect()
  const { rows } = await client.query(
    `select source_chain_id::int as "sourceChainId", intent_id as "intentId" from cairn.intent
     where phase = $1 order by intent_id desc limit 1`,
    [phase],
  )
  const { sourceChainId, intentId } = rows[0]
  return { client, sourceChainId, intentId: BigInt(intentId) }
}

it('an intent that needs two effects is queued once, with both in order', async () => {
  const queue = await makeWorkerUtils({ connectionString: postgres.databaseUrl })
  await queue.migrate()
  const keys = [7n, 9n, 7n, 8n].map((intentId) => ({ sourceChainId: 84532, intentId }))
  await queueReactions(queue, keys)
  await queueReactions(queue, keys.toReversed())
  await queue.release()
  const client = await postgres.connect()
  const { rows } = await client.query('select key from graphile_worker.jobs order by id')
  await client.end()
  expect(rows.map(({ key }) => key)).toEqual(['84532:7', '84532:9', '84532:8'])
})

it('candidates are found by their rows, except while they back off or after a refusal', async () => {
  const find = () => findIntentsToReconcile(database.db, { refundAfter: 0, limit: 10_000 })
  const found = await find()
  expect(found.length).toBeGreaterThan(0)
  const [first] = found as [(typeof found)[0]]
  const client = await postgres.connect()
  for (const kind of ['anchor', 'append', 'reveal', 'settle', 'undelivered', 'refund']) {
    await client.query(
      `insert into app.reaction (kind, source_chain_id, intent_id, state)
       values ($1, $2, $3, 'refused')`,
      [kind, first.sourceChainId, String(first.intentId)],
    )
  }
  const isThere = (list: typeof found) => list.some(({ intentId }) => intentId === first.intentId)
  expect(isThere(await find())).toBe(false)
  await client.query(`update app.reaction set state = 'waiting'`)
  expect(isThere(await find())).toBe(true)
  await client.query(`update app.reaction set next_try_at = now() + interval '1 hour'`)
  expect(isThere(await find())).toBe(false)
  // The clock was set back since the attempt, also of one whose transaction is pending.
  await client.query(`update app.reaction set tried_at = now() + interval '59 minutes'`)
  expect(isThere(await find())).toBe(true)
  await client.query(`update app.reaction set reason = 'TRANSACTION', next_try_at = null`)
  expect(isThere(await find())).toBe(true)
  await client.query('delete from app.reaction')
})

it('a silent chain is sent an empty transaction once a refund is due in its next block', async () => {
  const client = await postgres.connect()
  const { rows } = await client.query(
    `select source_chain_id::int as chain, end_time::int as "endTime" from cairn.intent
     where phase = 'open' order by end_time desc limit 1`,
  )
  const [{ chain, endTime }] = rows as [{ chain: number; endTime: number }]
  const relayer = `0x${'5e'.repeat(20)}` as const
  let [now, unixTime] = [0, 0]
  const clocks = { now: () => now, unixTime: () => unixTime }
  let wake = createSilentChainWaker(database.db, relayer, clocks)
  const configured = new Map([[chain, {}]])
  const look = async (blockNumber: number, timestamp: number, seconds: number) => {
    now += seconds * 1_000
    const reactor = {
      bundles: { db: database.db },
      chains: { current: async () => ({ heads: new Map([[chain, { timestamp, blockNumber }]]) }) },
      configured,
      refundAfter: 60,
    }
    await wakeSilentChains(reactor as unknown as ReactionContext, wake)
    const requested = `delete from app.transaction where kind = 'block'
      returning effect, to_address as to, data`
    return (await client.query(requested)).rows
  }
  const dueAt = endTime + 60
  const requestAfter = (block: number) => [
    { effect: `${relayer}:${block}`, to: relayer, data: '0x' },
  ]
  // Due since the latest block, too early, not silent yet, and due in the next one.
  for (const seconds of [0, 400]) expect(await look(1, dueAt, seconds)).toEqual([])
  for (const seconds of [0, 400]) expect(await look(2, dueAt - 401, seconds)).toEqual([])
  for (const seconds of [0, 299]) expect(await look(3, dueAt - 299, seconds)).toEqual([])
  expect(await look(3, dueAt - 299, 1)).toEqual(requestAfter(3))

  // A restarted process didn't see how long the chain has been silent.
  wake = createSilentChainWaker(database.db, relayer, clocks)
  unixTime = dueAt + 59
  for (const seconds of [0, 300]) expect(await look(4, dueAt - 400, seconds)).toEqual([])
  unixTime += 1
  expect(await look(4, dueAt - 400, 0)).toEqual(requestAfter(4))

  // What waits for a confirmation gets the block that it lacks. If its other chain isn't configured, it waits for ever.
  const { rows: waiting } = await client.query(
    `insert into app.reaction (kind, source_chain_id, intent_id, reason)
     select 'undelivered', source_chain_id, intent_id, 'NOT_CONFIRMED' from cairn.intent
     where dest_chain_id = $1 and phase = 'deposited' limit 1 returning source_chain_id::int as other`,
    [chain],
  )
  for (const seconds of [0, 300]) expect(await look(5, dueAt, seconds)).toEqual([])
  configured.set(waiting[0].other, {})
  expect(await look(5, dueAt, 0)).toEqual(requestAfter(5))
  await client.query('delete from app.reaction')
})

it('before the indexer has ever run, no chain is silent', async () => {
  const missing = Object.assign(new pg.DatabaseError('no such view', 0, 'error'), { code: '42P01' })
  const chains = { current: () => Promise.reject(missing) }
  const reactor = { bundles: {}, chains } as unknown as ReactionContext
  await wakeSilentChains(reactor, () => expect.fail('woken'))
})

it('candidates of one chain leave room for those of another', async () => {
  const client = await postgres.connect()
  const find = (limit: number) => findIntentsToReconcile(database.db, { refundAfter: 0, limit })
  const all = await find(10_000)
  const chains = [...new Set(all.map(({ sourceChainId }) => sourceChainId))]
  expect(chains.length).toBeGreaterThan(1)
  for (const kind of ['anchor', 'append', 'reveal', 'settle', 'undelivered', 'refund'])
    await client.query(
      `insert into app.reaction (kind, source_chain_id, intent_id, tried_at)
       select $1, chain, id, now() - case when chain = $2 then interval '1 hour' else interval '1 minute' end
       from unnest($3::bigint[], $4::numeric[]) as one (chain, id) on conflict do nothing`,
      [
        kind,
        chains[0],
        all.map(({ sourceChainId }) => sourceChainId),
        all.map(({ intentId }) => String(intentId)),
      ],
    )
  const found = await find(12)
  expect(new Set(found.map(({ sourceChainId }) => sourceChainId)).size).toBe(chains.length)
  await client.query('delete from app.reaction')
})

it('stuck intents are listed with their causes, the longest waiting first', async () => {
  const { client, sourceChainId, intentId } = await someIntent('deposited')
  await client.query(
    `insert into app.reaction (kind, source_chain_id, intent_id, reason, subject, wanted_since)
     values ('settle', $1, $2, 'TRANSACTION', 'abc', now() - interval '1 hour')`,
    [sourceChainId, String(intentId)],
  )
  await client.query(
    `insert into app.transaction (kind, chain_id, effect, account, to_address, data, problem,
       requested_at)
     values ('settle', $1, $2 || ':abc', '0x', '0x', '0x', 'OUT_OF_GAS', now() - interval '1 hour'),
            ('deploySafe', $1, 'x', '0x', '0x', '0x', null, now() - interval '2 hours')`,
    [sourceChainId, String(intentId)],
  )
  const stuck = await listStuckIntents(database.db, { afterSeconds: 60, limit: 10_000 })
  const ours = stuck.filter(({ what }) => what !== 'recipients')
  expect(ours).toMatchObject([
    { what: 'deploySafe', cause: 'NO_BLOCK', intentId: null },
    { what: 'settle', cause: 'OUT_OF_GAS', intentId, sourceChainId },
  ])
  expect(
    await listStuckIntents(database.db, { afterSeconds: 9_000, limit: 10_000 }),
  ).not.toContainEqual(expect.objectContaining({ what: 'settle' }))
  expect(await countTransactions(database.db)).toHaveLength(2)
  expect(await countReactions(database.db)).toMatchObject([
    { kind: 'settle', state: 'waiting', reason: 'TRANSACTION', count: 1 },
  ])
  expect(await readReactionsHealth(database.db)).toMatchObject({ status: 'stopped' })
  expect(await readSettlementProgress(database.db, { sourceChainId, intentId })).toMatchObject({
    reaction: { state: 'waiting', reason: 'TRANSACTION' },
    mined: null,
    problem: 'OUT_OF_GAS',
    isAlive: false,
    senderProblem: null,
  })
})

it('tampered rows hide nothing of what others report', async () => {
  const { client, sourceChainId, intentId } = await someIntent('deposited')
  const sender = { chainId: sourceChainId, isLeading: true, balance: '1', live: 0, outOfGas: 0 }
  const solver = `0x${'5a'.repeat(20)}`
  const reports = {
    reactions: {
      workers: [],
      relayer: solver,
      enclave: 'ok',
      unpaidGas: [{ chainId: sourceChainId, cap: '5', ofSender: '7' }],
      senders: [{ ...sender, problem: 'FEE_CAP' }],
    },
    transfers: {
      chains: [
        { ...sender, latest: null, problem: null, safes: null, caughtUpAt: null, failures: 0 },
      ],
    },
    push: { delivers: true },
  }
  const insertStatus = `insert into app.role_status (role, instance, status) values ($1, $2, $3::jsonb)`
  const nonsense = [
    'null',
    '7',
    '[]',
    '{"senders": 5, "chains": 5}',
    '{"senders": [5], "chains": [5]}',
  ]
  for (const [role, report] of Object.entries(reports)) {
    const unpaidGas = [{ chainId: sourceChainId, cap: '0', ofSender: 'x' }]
    const senders = [{ chainId: 'x', isLeading: 'x' }]
    const false_ = [...nonsense, JSON.stringify({ ...report, unpaidGas, senders, chains: senders })]
    for (const [at, text] of false_.entries())
      await client.query(insertStatus, [role, `${at}`, text])
    await client.query(insertStatus, [role, 'true', JSON.stringify(report)])
  }
  await client.query(
    `insert into app.reaction (kind, source_chain_id, intent_id, wanted_since)
     values ('refund', 1, 1, '-infinity'), ('settle', 1, 1, now() - interval '9 seconds')`,
  )
  await client.query(
    `insert into app.solver_registration (solver, routes, balances, last_seen)
     select '0x' || repeat(to_hex(n), 40), routes::jsonb, balances::jsonb, seen::timestamptz from (values
       (10, 'null', '[]', 'now'), (11, '[]', '{}', 'now'), (12, '[]', '[{"chainId": 1, "balance": "x"}]', 'now'),
       (13, '[{"sourceChainId": 1, "tokenA": "nobody"}]', '[]', 'now'), (14, '[]', '[]', 'infinity'),
       (15, '[]', '[]', 'now')) as row (n, routes, balances, seen)`,
  )
  expect(await readReactionsHealth(database.db)).toMatchObject({
    enclave: 'ok',
    accounts: [{ chainId: sourceChainId, problem: 'FEE_CAP' }],
    oldestSeconds: expect.toSatisfy((seconds) => Number(seconds) >= 9),
  })
  expect(await countReactions(database.db)).toContainEqual(
    expect.objectContaining({
      kind: 'refund',
      seconds: expect.toSatisfy((one) => Number(one) < 9),
    }),
  )
  expect((await readUnpaidGasShares(database.db)).get(sourceChainId)).toEqual({
    cap: 5n,
    ofSender: 7n,
  })
  expect(await readSettlementProgress(database.db, { sourceChainId, intentId })).toMatchObject({
    isAlive: true,
    senderProblem: 'FEE_CAP',
  })
  expect(await readTransfersHealth(database.db, [sourceChainId])).toMatchObject([{ failures: 0 }])
  await client.query(
    `insert into app.push_cursor (sequence) select coalesce(max(sequence), 0) from app.change_log`,
  )
  expect(await readPushHealth(database.db)).toMatchObject({ status: 'ok' })
  const solvers = (await listLiveSolvers(database.db)).map(({ solver, routes }) => [solver, routes])
  expect(solvers.sort()).toEqual([
    [`0x${'d'.repeat(40)}`, []],
    [`0x${'f'.repeat(40)}`, []],
  ])
  await client.query('delete from app.role_status')
  await client.query(`delete from app.reaction where source_chain_id = 1`)
  await client.query('delete from app.push_cursor')
})

it('an attempt counts once its outcome is recorded, also at the end of the numbers', async () => {
  const client = await postgres.connect()
  await client.query(
    `with endpoint as (
       insert into app.webhook_endpoint (endpoint_id, url, chain_id, mode, key_id, sealed_secret)
       values ('hooked', 'https://example.com', 1, 'instant', 'k', '') returning endpoint_id),
     line as (
       insert into app.push_event (type, chain_id, at, source_chain_id, dest_chain_id, intent_id, sender, data)
       select 'x', 1, 1, 1, 1, n, '0x', '{}' from generate_series(1, 2) n returning sequence, intent_id)
     insert into app.webhook_delivery (endpoint_id, sequence, status, attempts)
     select endpoint_id, sequence, 'due', case intent_id when 1 then 2147483647 else 0 end from endpoint, line`,
  )
  const claimed = await claimDeliveries(database.db, {
    keyId: 'k',
    running: new Map(),
    each: 2,
    limit: 9,
  })
  expect(claimed.map(({ attempts }) => attempts)).toEqual([2_147_483_647, 0])
  const attempts = async () =>
    (await client.query('select attempts from app.webhook_delivery order by sequence')).rows.map(
      (row) => row.attempts,
    )
  expect(await attempts()).toEqual([2_147_483_647, 0])
  for (const one of claimed)
    await recordDeliveryOutcome(database.db, one, { status: 500, error: null })
  expect(await attempts()).toEqual([1_000_001, 1])
  await client.query(`delete from app.push_event`)
  await client.query(`delete from app.webhook_endpoint`)
})

const BLOB: Hex = `0x01${'ab'.repeat(511)}`

/** Puts a bundle on its way, as the creation that has the id asks for. */
function sendBundle(
  client: Awaited<ReturnType<PostgresUnderTest['connect']>>,
  { sourceChainId, intentId }: { sourceChainId: number; intentId: bigint },
  { isDisputed = false, blob = BLOB } = {},
) {
  return client.query(
    `insert into app.bundle (source_chain_id, intent_id, params_hash, n, is_signed, is_disputed,
       sealed, stored_at)
     select source_chain_id, intent_id, decode(substr(params_hash, 3), 'hex'), 1, true, $3, $4, 1
     from cairn.intent where source_chain_id = $1 and intent_id = $2`,
    [sourceChainId, String(intentId), isDisputed, Buffer.from(blob.slice(2), 'hex')],
  )
}

/** Has recipients of an intent stand later than any clock says. */
function neverFirm(
  client: Awaited<ReturnType<PostgresUnderTest['connect']>>,
  chainId: number,
  id: bigint,
) {
  return client.query(
    `update cairn_${chainId}_seeded.intent set firm_at = 4000000000 where intent_id = $1`,
    [String(id)],
  )
}

it('recipients that arrive after the anchor are appended until a deposit, or until they are on chain', async () => {
  for (const phase of ['bidding', 'deposited']) {
    const { client, ...key } = await someIntent(phase)
    await neverFirm(client, key.sourceChainId, key.intentId)
    const chains = readyChains([key.sourceChainId])
    const state = () => loadIntentState(database.db, chains, key)
    const isCandidate = async () => {
      const found = await findIntentsToReconcile(database.db, { refundAfter: 1e9, limit: 10_000 })
      return found.some(({ intentId }) => intentId === key.intentId)
    }
    const before = await isCandidate()
    await sendBundle(client, key, { isDisputed: true })
    expect((await state())?.proposal).toBe(null)
    await client.query('delete from app.bundle')
    await sendBundle(client, key)
    expect(await state()).toMatchObject({ proposal: { sealed: BLOB }, isCarried: false })
    expect(await isCandidate()).toBe(phase === 'bidding' || before)
    await client.query(
      `insert into app.signed (kind, source_chain_id, intent_id, params_hash, proposal_digest,
         message, bytes, signatures, signers)
       select 'anchor', source_chain_id, intent_id, params_hash, sha256(sealed), '{}',
         (select decode(substr(args ->> 'encryptedBlob', 3), 'hex') from cairn.event e
          where e.intent_id = b.intent_id and type = 'IntentAnchored'), '{}', '{}'
       from app.bundle b`,
    )
    expect((await state())?.isCarried).toBe(true)
    // Of a creation that has the id no more.
    await client.query(`update app.bundle set params_hash = sha256('another')`)
    expect(await state()).toMatchObject({ proposal: null, isCarried: false })
    await client.query('delete from app.bundle')
    await client.query('delete from app.signed')
  }
})

it('replaced recipients are found even if they were stored just before an earlier append was done', async () => {
  const { client, ...key } = await someIntent('bidding')
  await neverFirm(client, key.sourceChainId, key.intentId)
  await sendBundle(client, key)
  const isFound = async (secondsBefore: number) => {
    await client.query(
      'update app.bundle set stored_at = extract(epoch from now())::bigint - $1::bigint',
      [secondsBefore],
    )
    const found = await findIntentsToReconcile(database.db, { refundAfter: 1e9, limit: 10_000 })
    return found.some(({ intentId }) => intentId === key.intentId)
  }
  await client.query(
    `insert into app.reaction (kind, source_chain_id, intent_id, state, done_at)
     values ('append', $1, $2, 'done', now())`,
    [key.sourceChainId, String(key.intentId)],
  )
  expect(await isFound(30)).toBe(true)
  expect(await isFound(120)).toBe(false)
  // If nothing was to be appended, each sweep would find them, before what has waited for less time.
  await client.query(`update app.reaction set done_at = now() - interval '10 minutes'`)
  expect(await isFound(630)).toBe(false)
  expect(await isFound(599)).toBe(true)
  await client.query('delete from app.bundle')
  await client.query(`delete from app.reaction where kind = 'append'`)
})

/** Chains that are ready, their heads wherever. */
function readyChains(chainIds: readonly number[]): ChainsNow {
  const heads = new Map(chainIds.map((chainId) => [chainId, { timestamp: 1, blockNumber: 1 }]))
  const ready = chainIds.map((chainId) => ({ chainId, bridge: { terms: {} } }))
  return { ready, heads } as unknown as ChainsNow
}

describe('a pending transaction', () => {
  it('is stale once the facts call for another or for none; an index that is down is not believed', async () => {
    const { client, ...key } = await someIntent('open')
    await client.query(
      `update cairn_${key.sourceChainId}_seeded.intent set fee_bps = null where intent_id = $1`,
      [String(key.intentId)],
    )
    await neverFirm(client, key.sourceChainId, key.intentId)
    const { rows } = await client.query(
      'select dest_chain_id::int as dest from cairn.intent where intent_id = $1',
      [String(key.intentId)],
    )
    let chains = readyChains([key.sourceChainId, rows[0].dest])
    const reactor = {
      bundles: { db: database.db },
      configured: new Map(),
      refundAfter: 0,
      chains: { current: async () => chains },
    }
    const ask = (effect: string) =>
      isStale(
        reactor as never,
        { kind: 'anchor', chainId: key.sourceChainId, effect } as Transaction,
      )
    await sendBundle(client, key)
    const state = await loadIntentState(database.db, chains, key)
    const settings = { refundAfter: 0, deliveryConfirmations: 1, depositConfirmations: 1 }
    const [one] = findDesiredEffects(state as never, settings, Date.now())
    const effect = effectName(key.intentId, one?.effect as never)
    expect(await ask(effect)).toBe(false)
    expect(await ask(`${key.intentId}:${'0'.repeat(32)}`)).toBe(true)
    await client.query('delete from app.bundle')
    await sendBundle(client, key, { blob: `0x01${'cd'.repeat(511)}` })
    expect(await ask(effect)).toBe(true)
    const away = readyChains([])
    chains = away
    expect(await ask(effect)).toBe(false)
    await client.query('delete from app.bundle')
  })
})

it('a transaction that others requested and finished since the facts were read is not reopened', async () => {
  const { client, ...key } = await someIntent('open')
  const source = { ...key, paramsHash: BLOB }
  const effect = { kind: 'refund', paramsHash: BLOB } as const
  const configured = new Map([[key.sourceChainId, { bridge: '0x02' }]])
  const reactor = { bundles: { db: database.db }, configured, relayer: '0x01' }
  const call = (transactions: Map<string, object>) =>
    callBridge(reactor as never, { facts: { source }, transactions } as never, effect, '0x')
  const name = effectName(key.intentId, effect)
  const found = async () => {
    const { rows } = await client.query(
      'select id::int, state, round from app.transaction where effect = $1',
      [name],
    )
    return rows[0]
  }
  await call(new Map())
  await client.query(`update app.transaction set state = 'confirmed' where effect = $1`, [name])
  await call(new Map())
  expect(await found()).toMatchObject({ state: 'confirmed', round: 0 })
  const known = new Map([[transactionName('refund', name), await found()]])
  await Promise.all([call(known), call(known)])
  expect(await found()).toMatchObject({ state: 'chosen', round: 1 })
  await client.query('delete from app.transaction')
})

it('an effect whose ended row holds what is no number is requested again, whatever the row says', async () => {
  const { client, ...key } = await someIntent('deposited')
  const source = { ...key, paramsHash: BLOB }
  const effect = { kind: 'refund', paramsHash: BLOB } as const
  const name = effectName(key.intentId, effect)
  const bridge = `0x${'02'.repeat(20)}` as const
  const configured = new Map([[key.sourceChainId, { bridge }]])
  const reactor = { bundles: { db: database.db }, configured, relayer: '0x01' }
  const falsely = ["l1_fee = 'NaN'", "value = 'NaN'", 'gas_limit = -1', 'round = 2147483647']
  for (const said of falsely) {
    await client.query(
      `insert into app.transaction (kind, chain_id, effect, account, to_address, data)
       values ('refund', $1, $2, '0x01', $3, '0x')`,
      [key.sourceChainId, name, bridge],
    )
    await client.query(`update app.transaction set state = 'failed', ${said}`)
    const { rows } = await client.query('select id::int, state, round from app.transaction')
    const transactions = new Map([[transactionName('refund', name), rows[0]]])
    await callBridge(reactor as never, { facts: { source }, transactions } as never, effect, '0x')
    const { rows: after } = await client.query(
      `select state, value = 0 and l1_fee = 0 and gas_limit is null as "isCall" from app.transaction`,
    )
    expect([said, after]).toEqual([said, [{ state: 'chosen', isCall: true }]])
    await client.query('delete from app.transaction')
  }
})

it('refunds beyond the day’s gas for them don’t make the relayer count as late', async () => {
  const client = await postgres.connect()
  await client.query(
    `insert into app.reaction (kind, source_chain_id, intent_id, reason, wanted_since)
     values ('refund', 1, 1, 'GAS_BUDGET_SPENT', now() - interval '10 days'),
       ('refund', 1, 2, 'RPC_UNREACHABLE', now() - interval '9 seconds')`,
  )
  const { oldestSeconds } = await readReactionsHealth(database.db)
  expect(oldestSeconds).toBeGreaterThanOrEqual(9)
  expect(oldestSeconds).toBeLessThan(86_400)
  await client.query('delete from app.reaction where source_chain_id = 1')
})

it('the day’s gas for refunds renews when enough of it is a day old', async () => {
  const client = await postgres.connect()
  const insert = (effect: string, age: string, l1Fee: string, state = 'confirmed') =>
    client.query(
      `insert into app.transaction (kind, chain_id, effect, account, to_address, data, payer, state,
         l1_fee, requested_at)
       values ('refund', 1, $1, '0x', '0x', '0x', '0xa1', $4, $3, now() - $2::interval)`,
      [effect, age, l1Fee, state],
    )
  // Of 100,000 each, and what the parent chain charges.
  await insert('yesterday’s', '25 hours', '0')
  await insert('early', '20 hours', '0')
  await insert('later', '10 hours', '200000')
  await insert('just now', '1 hour', '0')
  await insert('never mined', '2 hours', '900000', 'failed')
  await insert('no number', '2 hours', 'NaN')
  const budget = async (limit: bigint) => {
    const read = await readRefundBudget(database.db, 1, { cap: 1n, limit })
    const hours = read.renewsAt && (read.renewsAt.getTime() - Date.now()) / 3_600_000
    return [Number(read.taken), read.isSpent, hours && Math.round(hours)]
  }
  expect(await budget(600_000n)).toEqual([500_000, false, null])
  expect(await budget(599_999n)).toEqual([500_000, true, 4])
  expect(await budget(499_999n)).toEqual([500_000, true, 14])
  expect(await budget(100_000n)).toEqual([500_000, true, 23])
  expect(await budget(99_999n)).toEqual([500_000, true, null])
  // A tampered row doesn't take it forever.
  await client.query(`update app.transaction set requested_at = 'infinity' where effect = 'early'`)
  expect(await budget(499_999n)).toEqual([400_000, true, 14])
  expect(await readRefundGas(database.db, 1, 1n)).toBe(400_000n)
  await client.query('delete from app.transaction')
})

it('an anchor that reverted in a block was paid for; one that failed before it was mined was not', async () => {
  const { client, ...key } = await someIntent('cancelled')
  const payer = `0x${'b2'.repeat(20)}` as const
  const spending = { ...key, tokenA: payer, sender: payer, cap: 1n }
  const name = `${key.intentId}:reverted`
  await client.query(
    `insert into app.transaction (kind, chain_id, effect, account, to_address, data, payer, state,
       requested_at)
     values ('anchor', $1, $2, '0x', '0x', '0x', $3, 'chosen', now() - interval '25 hours')`,
    [key.sourceChainId, name, payer],
  )
  const end = (state: string, hash: string | null) =>
    client.query('update app.transaction set state = $2, tx_hash = $3 where effect = $1', [
      name,
      state,
      hash,
    ])
  const spent = async () => {
    const { rows } = await spentQuery([spending]).execute(database.db)
    const unpaid = await readUnpaidGas(database.db, key.sourceChainId, SHARE)
    return [rows[0]?.used, rows[0]?.balance, String(unpaid)]
  }
  await end('failed', null)
  expect(await spent()).toEqual(['0', '0', '0'])
  await end('failed', '0x01')
  expect(await spent()).toEqual(['100000', '0', '0'])
  // A later round is of the day on which it is requested.
  const { rows } = await client.query('select id::int from app.transaction where effect = $1', [
    name,
  ])
  const call = { account: '0x', to: '0x', data: '0x' } as const
  expect(await reopenTransaction(database.db, { id: rows[0].id, round: 0 }, call)).toBe(true)
  const counted = ['100000', '100000', '100000']
  expect(await spent()).toEqual(counted)
  await end('failed', null)
  expect(await spent()).toEqual(['0', '0', '0'])
  for (const state of ['mined', 'failed', 'superseded']) {
    await end(state, '0x01')
    expect([state, ...(await spent())]).toEqual([state, ...counted])
  }
  await client.query('delete from app.transaction')
})

it('rows that name no intent or cost no number don’t keep the day’s gas from being counted', async () => {
  const { client, ...key } = await someIntent('cancelled')
  await client.query(
    `insert into app.transaction (kind, chain_id, effect, account, to_address, data, payer, l1_fee)
     select 'anchor', $1, effect, '0x', '0x', '0x', $2, fee::numeric
     from (values ('nothing', '0'), ('1e9:x', '0'), ($3 || ':x', 'NaN'), ($3 || ':y', '0')) as row (effect, fee)`,
    [key.sourceChainId, `0x${'b3'.repeat(20)}`, String(key.intentId)],
  )
  expect(await readUnpaidGas(database.db, key.sourceChainId, SHARE)).toBe(100_000n)
  await client.query('delete from app.transaction')
})

it('a sender needs none of the budget that others share as far as its fees, however old, paid for', async () => {
  const { client, ...key } = await someIntent('open')
  const { rows } = await client.query(
    `select (select sender from cairn.intent where source_chain_id = $1 and phase = 'completed'
       order by created_at limit 1) as customer,
       (select source_chain_id::int from cairn.intent where source_chain_id <> $1 limit 1) as other`,
    [key.sourceChainId],
  )
  const { customer, other } = rows[0]
  // 400,000 gas for each multiple of the least fee, 2.5 % of the token's minimum.
  const fees = await client.query(
    `select sum(trunc(fee * 40 * 400000 / min_amount))::text as gas from cairn.intent
     join cairn.bridge_token on chain_id = source_chain_id and token = token_a
     where sender = $1 and source_chain_id = $2 and phase = 'completed'`,
    [customer, key.sourceChainId],
  )
  const paid = BigInt(fees.rows[0].gas)
  expect(paid).toBeGreaterThan(4n * SHARE.ofSender)
  const newcomer = `0x${'c3'.repeat(20)}` as const
  const spending = { ...key, tokenA: newcomer, cap: 1n }
  const request = (payer: string) =>
    client.query(
      `insert into app.transaction (kind, chain_id, effect, account, to_address, data, payer)
       select 'anchor', $1, $2 || ':' || $3 || ':' || n, '0x', '0x', '0x', $3
       from generate_series(1, 31) n`,
      [key.sourceChainId, String(key.intentId), payer],
    )
  const reactor = { bundles: { db: database.db }, anchorGasPerMinimum: 10n ** 30n }
  const read = () => readUnpaidGas(database.db, key.sourceChainId, SHARE)
  const chain = { cap: 1n, unpaidGas: createUnpaidGasBudget(read, 10n * SHARE.ofSender) }
  const source = (sender: string) => ({ ...spending, sender, amountA: 10n ** 6n }) as never
  const refusalOf = (sender: string) =>
    findGasRefusal(reactor as never, chain, source(sender), { data: '0x', feeBps: 250, l1Fee: 0n })
  expect(await refusalOf(newcomer)).toBeNull()
  await request(newcomer)
  // Open intents count, so that cancelling all of them at once gains nothing.
  expect(await refusalOf(newcomer)).toBe('GAS_BUDGET_SPENT')
  expect(await isBudgetSpent(database.db, chain, source(newcomer))).toBe(true)
  const before = await readUnpaidGas(database.db, key.sourceChainId, SHARE)
  expect(before).toBe(SHARE.ofSender)
  await request(customer)
  expect(await readUnpaidGas(database.db, key.sourceChainId, SHARE)).toBe(before)
  expect(await refusalOf(customer)).toBeNull()
  expect(await isBudgetSpent(database.db, chain, source(customer))).toBe(false)
  // What its fees don't pay for counts like a newcomer's: one small intent must not free a sender for good.
  const use = (gas: bigint) =>
    client.query('update app.transaction set l1_fee = $2 where payer = $1 and effect like $3', [
      customer,
      String(gas),
      '%:1',
    ])
  await use(paid - 2_000_000n)
  expect(await refusalOf(customer)).toBeNull()
  expect(await readUnpaidGas(database.db, key.sourceChainId, SHARE)).toBeGreaterThan(before)
  await use(paid + SHARE.ofSender)
  expect(await refusalOf(customer)).toBe('GAS_BUDGET_SPENT')
  expect(await isBudgetSpent(database.db, chain, source(customer))).toBe(true)
  expect(await readUnpaidGas(database.db, key.sourceChainId, SHARE)).toBe(2n * before)
  await client.query('delete from app.transaction')
  const elsewhere = { ...spending, sourceChainId: other, sender: newcomer }
  const rowsOf = await spentQuery([{ ...spending, sender: customer }, elsewhere]).execute(
    database.db,
  )
  expect(Math.abs(Number(BigInt(rowsOf.rows[0]?.own ?? 0) + paid))).toBeLessThan(1_000)
  expect(rowsOf.rows[1]?.own).toBe('0')
})

it('a fee pays for gas once, not for that of every day', async () => {
  const client = await postgres.connect()
  const { rows } = await client.query(
    `select sender, source_chain_id::int as "sourceChainId",
       max(intent_id) filter (where phase = 'cancelled') as "intentId" from cairn.intent
     group by 1, 2 having bool_or(phase = 'completed') and bool_or(phase = 'cancelled') limit 1`,
  )
  const [{ sender, sourceChainId, intentId }] = rows
  const spending = { sender, sourceChainId, intentId, tokenA: sender, cap: 1n }
  const own = async () => {
    const found = await spentQuery([spending]).execute(database.db)
    return BigInt(found.rows[0]?.own ?? 0)
  }
  const paid = -(await own())
  expect(paid).toBeGreaterThan(SHARE.ofSender)
  // What an earlier intent of the sender used, which it cancelled after its anchor.
  const use = (gas: bigint, age: string) =>
    client.query(
      `insert into app.transaction (kind, chain_id, effect, account, to_address, data, payer, l1_fee,
         requested_at)
       values ('anchor', $1, $2 || ':' || $5, '0x', '0x', '0x', $3, $4, now() - $5::interval)`,
      [sourceChainId, intentId, sender, String(gas - 100_000n), age],
    )
  await use(paid - 1_000_000n, '3 days')
  expect(await own()).toBe(-1_000_000n)
  await use(3_000_000n, '2 days')
  expect(await own()).toBe(0n)
  await use(500_000n, '1 hour')
  expect(await own()).toBe(500_000n)
  expect(await readUnpaidGas(database.db, sourceChainId, SHARE)).toBe(500_000n)
  await client.query('delete from app.transaction')
})

it('the metric of unpaid gas counts at the price and part that the reactions report', async () => {
  const { client, ...key } = await someIntent('open')
  await client.query(
    `insert into app.transaction (kind, chain_id, effect, account, to_address, data, payer, l1_fee)
     values ('anchor', $1, $2 || ':metric', '0x', '0x', '0x', $3, 1000)`,
    [key.sourceChainId, String(key.intentId), `0x${'d4'.repeat(20)}`],
  )
  const gas = async (cap: string, ofSender: string) => {
    await client.query(
      `insert into app.role_status (role, instance, status) values ('reactions', 'metric', $1)
       on conflict (role, instance) do update set status = excluded.status`,
      [{ unpaidGas: [{ chainId: key.sourceChainId, cap, ofSender, limit: '60000000' }] }],
    )
    const chain = { chainId: key.sourceChainId, name: 'base' }
    const readings = createRelayerMetrics(database.db, [chain] as never)
    const read = async (metric: string) =>
      (await readings.find(({ name }) => name === metric)?.read())?.map(({ value }) => value)
    expect(await read('cairn_relayer_unpaid_gas_limit')).toEqual([60_000_000])
    return read('cairn_relayer_unpaid_gas')
  }
  expect(await gas('1', '3000000')).toEqual([101_000])
  expect(await gas('10', '3000000')).toEqual([100_100])
  expect(await gas('10', '5000')).toEqual([5_000])
  await client.query('delete from app.transaction')
  await client.query(`delete from app.role_status where instance = 'metric'`)
})

it('a reaction that has waited long is checked again, even if its intent is gone', async () => {
  const client = await postgres.connect()
  const key = { sourceChainId: 84_532, intentId: (84_532n << 64n) + 999_999n }
  await client.query(
    `insert into app.reaction (kind, source_chain_id, intent_id, wanted_since)
     values ('anchor', $1, $2, now() - interval '1 hour')`,
    [key.sourceChainId, String(key.intentId)],
  )
  const find = () => findIntentsToReconcile(database.db, { refundAfter: 0, limit: 10_000 })
  expect(await find()).toContainEqual(key)
  const heads = new Map([[key.sourceChainId, { timestamp: 1, blockNumber: 1 }]])
  const chains = { current: async () => ({ ready: [], backfilling: [], heads }) }
  await reconcileIntent({ bundles: { db: database.db }, chains } as never, key)
  expect(await find()).not.toContainEqual(key)
})

describe('with planner statistics of nearly empty tables, as after the first start, PostgreSQL', () => {
  const PAYER = `0x${'a1'.repeat(20)}` as const
  const OWN = 100
  let key: { sourceChainId: number; intentId: bigint }

  beforeAll(async () => {
    const { client, ...some } = await someIntent('open')
    key = some
    await client.query(
      `insert into app.transaction (kind, chain_id, effect, account, to_address, data, payer)
       select 'anchor', source_chain_id, intent_id || ':' || md5(intent_id::text), '0x', '0x', '0x',
         case when row_number() over (order by intent_id desc) <= ${OWN} then $2 end
       from cairn.intent where source_chain_id = $1`,
      [key.sourceChainId, PAYER],
    )
    await client.query(`delete from pg_statistic`)
    await client.query(
      `update pg_class set reltuples = 1 where relname in ('intent', 'transaction')`,
    )
  })

  it.each([
    'transaction_intent',
    'transaction_effect',
  ])('reads of our own rows those of one intent, where there is no %s', async (index) => {
    const client = await database.pool.connect()
    await client.query('begin')
    await client.query(`drop index app.${index}`)
    await client.query(
      'alter table app.transaction drop constraint transaction_kind_chain_id_effect_key',
    )
    const plan = await explainStatement(
      { db: database.db, pool: client },
      ownRowsQuery([{ ...key, paramsHash: '0x' }]),
    )
    await client.query('rollback')
    client.release()
    expect(rowsTouched(plan, 'transaction')).toBe(1)
  })

  it('reads only the intents the payer requested, each once for all its requests', async () => {
    const spending = { ...key, tokenA: PAYER, sender: PAYER, cap: 1n }
    const other = { ...spending, intentId: key.intentId - 1n }
    const plan = await explainStatement(database, spentQuery([spending, other]))
    expect(rowsTouched(plan, 'intent')).toBe(OWN)
  })

  it('reads only the latest intents of a payer that has very many', async () => {
    const client = await database.pool.connect()
    await client.query('begin')
    const { rows } = await client.query(
      `select string_agg(case column_name when 'intent_id' then '1e30 + n' when 'sender' then '''${PAYER}'''
           else format('%I', column_name) end, ', ' order by ordinal_position) as fields,
         format('%I.intent', table_schema) as name
       from information_schema.columns
       where table_name = 'intent' and table_schema like 'cairn_${key.sourceChainId}_%' group by 2`,
    )
    const [{ name, fields }] = rows
    await client.query('set local session_replication_role = replica')
    await client.query(
      `insert into ${name} select ${fields} from (
         select * from ${name} where phase = 'completed' limit 1) one, generate_series(1, 3000) n`,
    )
    await client.query(`analyze ${name}`)
    const spending = { ...key, tokenA: PAYER, sender: PAYER, cap: 1n }
    const plan = await explainStatement({ db: database.db, pool: client }, spentQuery([spending]))
    await client.query('rollback')
    client.release()
    expect(rowsTouched(plan, 'intent')).toBeLessThan(2_000)
  })

  it('sums the gas paid: per intent, and per payer and day for those without a fee', async () => {
    const client = await postgres.connect()
    const { rows } = await client.query(
      `select (sum(case phase when 'completed' then -1 when 'cancelled' then 1 when 'expired' then 1
          else 0 end) * 100000)::text as balance,
         (count(*) filter (where phase not in ('completed', 'failed')) * 100000)::text as unpaid
       from app.transaction join cairn.intent on intent_id = split_part(effect, ':', 1)::numeric
       where payer = $1`,
      [PAYER],
    )
    const some = { ...key, tokenA: PAYER, sender: PAYER, cap: 1n }
    const stranger = { ...some, sender: '0x02', intentId: 1n } as const
    expect((await spentQuery([stranger, some]).execute(database.db)).rows).toEqual([
      { used: '0', least: null, balance: '0', own: '0' },
      { used: '100000', least: null, balance: rows[0].balance, own: rows[0].unpaid },
    ])
    expect(rows[0].balance).not.toBe('0')
    expect(
      await readUnpaidGas(database.db, key.sourceChainId, { ...SHARE, ofSender: 10n ** 9n }),
    ).toBe(BigInt(rows[0].unpaid))
    const share = { ...SHARE, ofSender: 150_000n }
    expect(await readUnpaidGas(database.db, key.sourceChainId, share)).toBe(150_000n)
  })

  it('reads intents by their keys', async () => {
    const other = { ...key, intentId: key.intentId - 1n }
    const plan = await explainStatement(database, (db) => loadIntents(db, [key, other]))
    expect(rowsTouched(plan, 'intent')).toBe(2)
  })
})

it('frequent reads are planned a few times, not at every use', async () => {
  const { client, sourceChainId, intentId } = await someIntent('open')
  await client.end()
  const key = { sourceChainId, intentId }
  const address = `0x${'a1'.repeat(20)}` as const
  const spending = { ...key, tokenA: address, sender: address, cap: 1n }
  const { db, close } = openDatabase({ databaseUrl: postgres.databaseUrl, connections: 1 })
  for (let time = 0; time < 12; time++) {
    await loadIntents(db, [key])
    await findCandidates(db, intentId)
    await findIntentsToReconcile(db, { refundAfter: 0, limit: 10 })
    await readUnpaidGas(db, sourceChainId, SHARE)
    await spentQuery([spending]).execute(db)
    await ownRowsQuery([{ ...key, paramsHash: '0x' }]).execute(db)
  }
  const { rows } = await sql<{ custom: number; generic: number }>`
    select custom_plans as custom, generic_plans as generic from pg_prepared_statements
    where name like 'cairn_%'`.execute(db)
  await close()
  expect(rows).toHaveLength(6)
  for (const { custom, generic } of rows) {
    expect(custom).toBeLessThanOrEqual(5)
    expect(generic).toBeGreaterThan(3)
  }
})
