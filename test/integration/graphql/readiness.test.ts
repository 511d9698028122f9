import { afterAll, beforeAll, expect, test } from 'vitest'
import { createViews } from '../../../services/indexer/tables/createViews.ts'
import { seedDatabase } from '../../../tools/seed/seedDatabase.ts'
import { until } from '../../rig/until.ts'
import { type GraphqlRig, startGraphqlRig, UNTIL } from './graphqlRig.ts'

let rig: GraphqlRig
beforeAll(async () => {
  rig = await startGraphqlRig({ intents: 0 })
})
afterAll(() => rig?.stop())

const LIST = '{ intents { nodes { intentId } } }'

test('_meta says that no indexer has run yet, and lists are empty', async () => {
  expect((await rig.ask(LIST)).errors[0]?.extensions.code).toBe('NOT_READY')
  expect(await rig.data('{ _meta { isReady chains { chain } } }')).toEqual({
    _meta: { isReady: false, chains: [] },
  })
  await createViews(rig.client, [])
})

test('before any chain is ready, lists get 503 with Retry-After', async () => {
  await rig.client.query(
    `insert into app.projection (schema_name, chain_id, chain_name, build, progress)
     values ('cairn_84532_x', 84532, 'base_sepolia', 'x', 0.25)`,
  )
  await rig.client.query(`notify cairn_projection, ''`)
  const isReported = async () =>
    (await rig.data('{ _meta { chains { chain } } }'))._meta.chains.length > 0
  await until(isReported)
  const answer = await rig.ask(LIST)
  expect(answer.status).toBe(503)
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(answer.errors[0]?.extensions.code).toBe('NOT_READY')
  expect(answer.data).toBeNull()
})

test('before any chain is ready, subscriptions, fragments and lists beside _meta get 503', async () => {
  for (const query of [
    'subscription { events { isRemoved } }',
    'fragment F on Query { intents { totalCount } } { ...F }',
    '{ _meta { isReady } intents { totalCount } }',
  ]) {
    const { status, errors } = await rig.ask(query)
    expect([status, errors[0]?.extensions.code], query).toEqual([503, 'NOT_READY'])
  }
})

test('before any chain is ready, _meta shows the backfill’s progress and introspection the whole schema', async () => {
  const data = await rig.data(
    '{ _meta { isReady chains { chain state progress block } } __schema { queryType { name } } }',
  )
  expect(data._meta).toEqual({
    isReady: false,
    chains: [{ chain: 'base_sepolia', state: 'backfilling', progress: 0.25, block: null }],
  })
})

test('a server that answered 503 answers once chains are ready', async () => {
  await rig.client.query('delete from app.projection')
  await seedDatabase({ databaseUrl: rig.databaseUrl, intents: 20, seed: 7, until: UNTIL })
  await rig.client.query(`notify cairn_projection, ''`)
  await until(async () => (await rig.ask(LIST)).status === 200)
  const { intents } = await rig.data(LIST)
  expect(intents.nodes).toHaveLength(20)
})
