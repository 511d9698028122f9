import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createGraphqlRoutes } from '../../../api/graphql/graphqlRoutes.ts'
import { type RunningApi, startApi } from '../../../api/rest/startApi.ts'
import { seedDatabase } from '../../../tools/seed/seedDatabase.ts'
import { CHAINS, UNTIL } from '../../integration/rest/seededApi.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'

let postgres: PostgresUnderTest
let api: RunningApi
let locker: pg.Client

beforeAll(async () => {
  postgres = await startPostgresUnderTest()
  const { databaseUrl } = postgres
  await seedDatabase({ databaseUrl, intents: 50, seed: 5, until: UNTIL })
  api = await startApi({
    databaseUrl,
    chains: CHAINS,
    host: '127.0.0.1',
    port: 0,
    trustedProxies: ['127.0.0.0/8'],
    routes: [createGraphqlRoutes({ onProblem: () => {} })],
  })
  locker = await postgres.connect()
})
afterAll(async () => {
  await locker?.end()
  await api?.stop()
  await postgres?.stop()
})

const from = (address: string) => ({ 'x-forwarded-for': address })

/** Runs `work` while reads of solvers are as slow as possible: they wait for a lock until they time out. */
async function whileSolversAreSlow(work: () => Promise<void>): Promise<void> {
  await locker.query('begin')
  await locker.query('lock table cairn_84532_seeded.solver_record in access exclusive mode')
  try {
    await work()
  } finally {
    await locker.query('rollback')
  }
}

/**
 * Resolves when the number of statements waiting for the lock stops growing: the client has used up its
 * share.
 */
async function allWait(): Promise<void> {
  for (let before = 0; ; ) {
    const { rows } = await locker.query('select count(*)::int as n from pg_locks where not granted')
    const waiting = rows[0].n as number
    if (waiting > 0 && waiting === before) return
    before = waiting
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

function querySlowly(address: string, aliases: number): Promise<Response> {
  const fields = Array.from(
    { length: aliases },
    (_, i) => `a${i}: solvers(first: 1) { totalCount }`,
  )
  return fetch(`${api.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...from(address) },
    body: JSON.stringify({ query: `{ ${fields.join(' ')} }` }),
  })
}

test('slow reads by one client leave connections for others', async () => {
  await whileSolversAreSlow(async () => {
    const slow = [querySlowly('198.51.100.1', 30), querySlowly('198.51.100.1', 30)]
    const firstOver = Promise.race(slow).then(() => 'a slow one')
    await allWait()
    const fast = fetch(`${api.url}/intents?limit=5`, { headers: from('198.51.100.2') })
    expect(await Promise.race([fast.then(({ status }) => status), firstOver])).toBe(200)
    for (const one of await Promise.all(slow)) {
      const body = (await one.json()) as { errors: { extensions: { code: string } }[] }
      expect(new Set(body.errors.map(({ extensions }) => extensions.code))).toEqual(
        new Set(['QUERY_TIMEOUT']),
      )
    }
  })
})

test('a slow client’s reads don’t delay another client’s read of the same intent', async () => {
  const { intents } = (await (await fetch(`${api.url}/intents?limit=1`)).json()) as {
    intents: { intentId: string }[]
  }
  await whileSolversAreSlow(async () => {
    const slow = [querySlowly('198.51.100.3', 30)]
    await allWait()
    const path = `${api.url}/intent-details/${intents[0]!.intentId}`
    const [own, others] = await Promise.all(
      ['198.51.100.3', '198.51.100.4'].map((address) => fetch(path, { headers: from(address) })),
    )
    expect([own!.status, others!.status]).toEqual([200, 200])
    await Promise.all(slow)
  })
})

test('a client gets its whole share back when its slow reads end', async () => {
  const answers = await Promise.all(
    Array.from({ length: 40 }, () =>
      fetch(`${api.url}/intents?limit=5`, { headers: from('198.51.100.1') }),
    ),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
})
