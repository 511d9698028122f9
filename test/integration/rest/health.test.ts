import { sql } from 'kysely'
import pg from 'pg'
import { afterEach, expect, test, vi } from 'vitest'
import { createExplorerRoutes } from '../../../api/explorer/explorerRoutes.ts'
import { startAnvil } from '../../../contracts/anvil/startAnvil.ts'
import { createViews } from '../../../services/indexer/tables/createViews.ts'
import { seedDatabase } from '../../../tools/seed/seedDatabase.ts'
import { BASE, chainConfig, HORIZEN, type SeededApi, startSeededApi, UNTIL } from './seededApi.ts'

const stops: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

async function start(options: Parameters<typeof startSeededApi>[0]): Promise<SeededApi> {
  const api = await startSeededApi(options)
  stops.push(api.stop)
  return api
}

/** A node whose head has the given time. */
async function nodeAt(chainId: number, timestamp: number) {
  const flags = ['--timestamp', String(timestamp)]
  const node = await startAnvil({ chainId, blockTime: 3_600, extraArguments: flags })
  stops.push(node.stop)
  return node
}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at field by field
async function healthOnce(api: SeededApi, done: (body: any) => boolean) {
  for (;;) {
    const { status, body } = await api.get('/health')
    expect(status).toBe(200)
    if (done(body)) return body
  }
}

/** What a page of the explorer says that can't be shown now: its title, why, and where its button leads. */
async function readFailurePage(api: SeededApi, path: string): Promise<(string | undefined)[]> {
  const { status, text } = await api.get(path, { accept: 'text/html' })
  expect(status).toBe(503)
  const button = /<a class="button" href="([^"]*)">([^<]*)</.exec(text)
  return [
    /<h1>([^<]*)</.exec(text)?.[1],
    /<\/svg><p>([^<]*)</.exec(text)?.[1],
    button?.slice(1).join(' '),
  ]
}

test('reports the chains and their lag; a dead node affects its own chain only', async () => {
  const node = await nodeAt(BASE, UNTIL + 12)
  const chains = [
    chainConfig('base_sepolia', BASE, node.rpc),
    chainConfig('horizen_testnet', HORIZEN),
  ]
  const api = await start({ intents: 20, chains })
  const body = await healthOnce(api, ({ chains: [base] }) => base.status !== 'rpc_unreachable')
  expect(body).toMatchObject({
    status: 'degraded',
    service: 'bridge-relayer',
    networks: ['base_sepolia', 'horizen_testnet'],
    chainInfo: { base_sepolia: '84532', horizen_testnet: '2651420' },
    database: 'ok',
    chains: [
      { name: 'base_sepolia', chainId: '84532', head: 0, lagSeconds: 12, status: 'ok' },
      { name: 'horizen_testnet', head: null, lagSeconds: null, status: 'rpc_unreachable' },
    ],
  })
  expect(body.chains[1].indexed).toBeGreaterThan(0)
  expect(Date.parse(body.timestamp)).toBeGreaterThan(0)
  expect((await api.get('/intents?sourceChainId=horizen_testnet')).status).toBe(200)

  await node.stop()
  const after = await healthOnce(api, ({ chains: [base] }) => base.status === 'rpc_unreachable')
  expect(after.chains[0]).toMatchObject({ head: 0, lagSeconds: 12 })
})

test('the status is ok, and degraded while an index is behind, the API’s clock is wrong, or the disk is full or slow', async () => {
  const nodes = [await nodeAt(BASE, UNTIL), await nodeAt(HORIZEN, UNTIL + 31)]
  const chains = [
    chainConfig('base_sepolia', BASE, nodes[0]!.rpc),
    chainConfig('horizen_testnet', HORIZEN, nodes[1]!.rpc),
  ]
  const api = await start({ intents: 20, chains })
  const lagging = await healthOnce(api, (body) =>
    body.chains.every((chain: { head: number | null }) => chain.head !== null),
  )
  expect(lagging.status).toBe('degraded')
  expect(lagging.chains[1]).toMatchObject({ status: 'lagging', lagSeconds: 31 })
  await sql`update cairn_2651420_seeded._ponder_checkpoint
    set latest_checkpoint = ${String(UNTIL + 30)}::text || substr(latest_checkpoint, 11)`.execute(
    api.database.db,
  )
  const well = await healthOnce(api, ({ status }) => status === 'ok')
  expect(well.chains[1]).toMatchObject({ status: 'ok', lagSeconds: 1 })

  const { now } = Date
  vi.spyOn(Date, 'now').mockImplementation(() => now() + 600_500)
  const { body } = await api.get('/health').finally(() => vi.restoreAllMocks())
  expect(body).toMatchObject({
    status: 'degraded',
    problems: [{ code: 'CLOCKS_DIFFER', cause: expect.stringContaining('this API’s clock is 60') }],
  })

  // What writes a temporary file fails or takes too long, but the chains can be read.
  const failWith = (code: string) =>
    sql`create or replace function app.failing() returns int language plpgsql
      as $$ begin raise exception 'failed' using errcode = ${sql.lit(code)}; end $$`.execute(
      api.database.db,
    )
  await failWith('53100')
  await sql`alter table app.webhook_endpoint rename to without_space`.execute(api.database.db)
  await sql`create view app.webhook_endpoint as select kept.* from app.failing()
    left join app.without_space kept on true`.execute(api.database.db)
  const full = (await api.get('/health')).body
  expect(full).toMatchObject({ status: 'degraded', database: 'unreachable', problems: [] })
  expect(full.chains[1].status).toBe('ok')
  await failWith('57014')
  expect((await api.get('/health')).body).toMatchObject({ status: 'degraded', database: 'slow' })
})

test('each chain answers 503 with Retry-After until its first backfill is done', async () => {
  const api = await start({ intents: 0, routes: [createExplorerRoutes()] })
  const notReady = async (path: string) => {
    const { status, body, headers } = await api.get(path)
    expect([path, status, body.code]).toEqual([path, 503, 'INDEX_NOT_READY'])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  }
  // Not even the tables exist yet.
  for (const path of ['/intents', '/batches', '/intent-details/1', '/ready']) await notReady(path)
  expect(await readFailurePage(api, '/explorer/solvers?first=1')).toEqual([
    'Not ready yet',
    'The index is being built: try again soon; GET /health shows how far it is.',
    '/explorer/solvers?first=1 Try again',
  ])
  const before = { status: 'degraded', database: 'ok' }
  expect((await api.get('/health')).body).toMatchObject(before)

  // One chain is done, the other one still being folded for the first time.
  await seedDatabase({ databaseUrl: api.postgres.databaseUrl, intents: 20, seed: 5, until: UNTIL })
  await sql`update app.projection set active = false, state = 'backfilling', progress = 0.25, ready_at = null
    where chain_id = ${HORIZEN}`.execute(api.database.db)
  const client = new pg.Client(api.postgres.databaseUrl)
  await client.connect()
  await createViews(client, [{ chainId: BASE, schema: 'cairn_84532_seeded' }])
  await client.end()
  for (;;) if ((await api.get('/ready')).status === 200) break
  expect((await api.get('/ready')).body.chains).toEqual({
    base_sepolia: 'ready',
    horizen_testnet: 'backfilling',
  })
  const known = (BigInt(BASE) << 64n) + 1n
  const elsewhere = (BigInt(HORIZEN) << 64n) + 1n
  expect((await api.get(`/intent-details/${known}`)).status).toBe(200)
  await notReady(`/intent-details/${elsewhere}`)
  await notReady(`/intents/${elsewhere}/events`)
  await notReady('/intents?sourceChainId=horizen_testnet')
  await notReady('/batches?sourceChainId=horizen_testnet')
  expect((await api.get('/intents')).body.notIndexedYet).toEqual(['horizen_testnet'])
  for (const path of ['/explorer/intents?sourceChainId', '/explorer/orders?chainId'])
    expect(await readFailurePage(api, `${path}=${HORIZEN}`)).toEqual([
      'Not ready yet',
      expect.stringContaining('Horizen_testnet is not indexed yet'),
      `${path}=${HORIZEN} Try again`,
    ])
  for (const path of ['/explorer/intents', '/explorer/orders']) {
    const { text } = await api.get(path, { accept: 'text/html' })
    expect(text).toContain('Not indexed yet, so missing here: horizen_testnet.')
  }
  expect((await api.get('/health')).body.chains[1]).toMatchObject({ indexed: null, progress: 0.25 })
  expect((await api.get(`/intent-details/${(1n << 64n) + 1n}`)).status).toBe(404)
})

test('without its database the API stays up, reports it, and recovers', async () => {
  const api = await start({ intents: 20, routes: [createExplorerRoutes()] })
  const path = '/intents?limit=1'
  expect((await api.get(path)).status).toBe(200)
  const drop = sql`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name in ('cairn_api', 'cairn_feed') and pid <> pg_backend_pid()`
  await drop.execute(api.database.db).catch(() => {})
  for (;;) if ((await api.get(path)).status === 200) break
  await api.postgres.stop()
  const refused = await api.get(path)
  expect([refused.status, refused.body.code]).toEqual([503, 'DATABASE_UNREACHABLE'])
  expect(await readFailurePage(api, '/')).toEqual([
    'Not available right now',
    'The database can’t be reached: try again.',
    '/ Try again',
  ])
  const health = await api.get('/health')
  expect([health.status, health.body.status, health.body.database]).toEqual([
    200,
    'degraded',
    'unreachable',
  ])
  expect((await api.get('/ready')).status).toBe(503)
  expect(refused.text).not.toMatch(/postgres|ECONN|127\.0\.0\.1/)
})
