import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createGraphqlRoutes } from '../../../api/graphql/graphqlRoutes.ts'
import { setChainClock } from '../../../tools/seed/createChainTables.ts'
import { TIMEOUT_MS } from '../../rig/until.ts'
import { BASE, type SeededApi, startSeededApi, UNTIL } from './seededApi.ts'

/** What the API keeps in memory is gone as soon as the database says that it is not so any more. */
let api: SeededApi
let client: pg.Client

const SCHEMA = 'cairn_84532_seeded'
const HEAD = 10_000_000

beforeAll(async () => {
  api = await startSeededApi({
    intents: 200,
    routes: [createGraphqlRoutes({ onProblem: () => {} })],
  })
  client = new pg.Client(api.postgres.databaseUrl)
  await client.connect()
  // Everything lies behind finality, and no time has passed.
  await moveClock(UNTIL, HEAD, HEAD)
})
afterAll(async () => {
  await client?.end()
  await api?.stop()
})

function moveClock(timestamp: number, blockNumber: number, finalizedBlock: number) {
  const clock = { timestamp, blockNumber, finalizedBlock }
  return setChainClock(client, SCHEMA, { chainId: BASE, chainName: 'base_sepolia', ...clock })
}

/** Writes a row as the indexer would: with the notification that its triggers send. */
async function write(change: string, intentId: string): Promise<void> {
  await writeUnheard(change, intentId)
  await client.query(
    `select pg_notify('cairn_change', json_build_object('sequence', max(sequence), 'sourceChainId', $1::int,
       'intentId', $2::text, 'table', 'intent', 'operation', 'update')::text) from app.change_log`,
    [BASE, intentId],
  )
}

/** The same before the notification arrives. */
async function writeUnheard(change: string, intentId: string): Promise<void> {
  await client.query(`update ${SCHEMA}.intent set ${change} where intent_id = $1`, [intentId])
  await client.query(
    `insert into app.change_log (source_chain_id, intent_id, table_name, operation)
     values ($1, $2, 'intent', 'update')`,
    [BASE, intentId],
  )
}

async function idOf(condition: string): Promise<string> {
  const { rows } = await client.query(
    `select intent_id::text as id from ${SCHEMA}.intent where ${condition} order by 1 limit 1`,
  )
  return rows[0].id
}

/** The same of one intent by every way that remembers: the record, a list, a GraphQL query. */
async function reported(id: string) {
  const { body: one } = await api.get(`/intent-details/${id}`)
  const { body: list } = await api.get('/intents?limit=200&sourceChainId=base_sepolia')
  const query = `{ intent(id: "${id}") { status finality reward } }`
  const { body: graphql } = await api.post('/graphql', { query })
  const listed = list.intents.find(({ intentId }: { intentId: string }) => intentId === id)
  return [one.intent, listed, graphql.data.intent].map(
    ({ status, finality, reward }) => `${status} ${finality} ${reward}`,
  )
}

/** Asks until every way tells what is expected: a notification takes its moment. */
async function untilReported(id: string, expected: string): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS
  for (;;) {
    const words = await reported(id)
    if (words.every((one) => one === expected)) return
    if (performance.now() > deadline) expect(words).toEqual(words.map(() => expected))
  }
}

test('the cache follows a change of a final intent', async () => {
  const id = await idOf(`phase = 'completed'`)
  const reward = async () =>
    String(
      (await client.query(`select reward from ${SCHEMA}.intent where intent_id = $1`, [id])).rows[0]
        .reward,
    )
  await untilReported(id, `completed finalized ${await reward()}`)
  await write('reward = reward + 1', id)
  await untilReported(id, `completed finalized ${await reward()}`)
  // What a deep reorg would do.
  await write(`phase = 'deposited', settle_tx_hash = null, settled_at = null, reward = 7`, id)
  await untilReported(id, 'settled finalized 7')
  await write(`phase = 'completed', reward = 8`, id)
  await untilReported(id, 'completed finalized 8')
})

test('the cache follows finality that is taken back and returns', async () => {
  const id = await idOf(`phase = 'cancelled'`)
  await write('reward = 9', id)
  await untilReported(id, 'cancelled finalized 9')
  await moveClock(UNTIL, 2, 1)
  await untilReported(id, 'cancelled latest 9')
  await moveClock(UNTIL, HEAD, HEAD)
  await untilReported(id, 'cancelled finalized 9')
})

test('the cache follows changes by time alone', async () => {
  const id = await idOf(`phase = 'completed'`)
  const open = `phase = 'open', bid_count = 0, fee_bps = 250, solver = null, reward = 5, end_time = ${UNTIL + 100}`
  await write(open, id)
  await untilReported(id, 'pending finalized 5')
  await moveClock(UNTIL + 100, HEAD + 50, HEAD)
  await untilReported(id, 'expired finalized 5')
})

test('a list notices a changed intent, with or without a notification', async () => {
  const id = await idOf(`phase = 'completed'`)
  await write('reward = 11', id)
  await untilReported(id, 'completed finalized 11')
  await writeUnheard('reward = 12', id)
  // Another list than before: an answer in memory has its own rules.
  const { body } = await api.get('/intents?limit=199&sourceChainId=base_sepolia')
  const listed = body.intents.find(({ intentId }: { intentId: string }) => intentId === id)
  expect(listed.reward).toBe('12')
})

test.each([
  'pending,completed',
  'pending%2Ccompleted',
])('a list by status=%s comes from memory until a change is heard of', async (status) => {
  const id = await idOf(`phase = 'completed'`)
  const list = async () => (await api.get(`/intents?limit=198&status=${status}`)).text
  const comesFromMemory = async () => {
    const before = await list()
    await writeUnheard('reward = reward + 1', id)
    return (await list()) === before
  }
  // Again, if a change of an earlier test is heard of in between.
  await expect.poll(comesFromMemory).toBe(true)
})

test('a quote follows changes of its pair, its solvers’ stakes and its bridge', async () => {
  const { rows } = await client.query(
    `select intent_id::text as id, dest_chain_id::text as "destChain", token_a as "tokenA", token_b as "tokenB",
       amount_a::text as "amountA" from ${SCHEMA}.intent where phase = 'completed' order by created_at desc limit 1`,
  )
  const { id, ...pair } = rows[0]
  const asked = new URLSearchParams({ sourceChain: String(BASE), ...pair })
  const quote = async () => (await api.get(`/quote?${asked}`)).body
  const untilQuoted = (
    word: (body: Awaited<ReturnType<typeof quote>>) => unknown,
    value: unknown,
  ) => expect.poll(async () => word(await quote()), { timeout: TIMEOUT_MS }).toEqual(value)
  await client.query(`update ${SCHEMA}.bid set bid_at = ${UNTIL}`)
  const known = (await quote()).quote
  expect(known.liveSolvers).toBeGreaterThan(0)
  expect(await quote()).toEqual({ success: true, quote: known })

  await write(`amount_a = amount_a + 1`, id)
  const total = String(BigInt(known.basis.totalAmountA) + 1n)
  await untilQuoted(({ quote }) => quote.basis.totalAmountA, total)

  await client.query(`update ${SCHEMA}.solver_stake set staked = 0`)
  await changeBeyondIntents('solver_stake')
  await untilQuoted(({ quote }) => quote.liveSolvers, 0)

  await client.query(`update ${SCHEMA}.bridge set creation_paused = true`)
  await changeBeyondIntents('bridge')
  await untilQuoted(({ code }) => code, 'CREATION_PAUSED')
})

/** Says that something changed that is about no intent. */
async function changeBeyondIntents(table: string): Promise<void> {
  await client.query(
    `with line as (
       insert into app.change_log (table_name, operation) values ($1, 'update') returning sequence
     )
     select pg_notify('cairn_change', json_build_object('sequence', sequence::text)::text) from line`,
    [table],
  )
}
