import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Db } from '../../../services/store/database/openDatabase.ts'
import { lastEventBlocks } from '../../../services/store/events/loadEvents.ts'
import { findPassedDeadlines } from '../../../services/store/intents/findPassedDeadlines.ts'
import { loadSolvers } from '../../../services/store/solvers/listSolvers.ts'
import { captureStatement } from '../store/explainedPlan.ts'
import { BASE, type GraphqlRig, HORIZEN, startGraphqlRig } from './graphqlRig.ts'

let rig: GraphqlRig
beforeAll(async () => {
  rig = await startGraphqlRig({ intents: 6_000 })
  // The first request also reads the chains' heads; later the feed reports them.
  await rig.data('{ _meta { isReady } }')
})
beforeEach(() => {
  rig.takeStatements()
})
afterAll(() => rig?.stop())

const NESTED = `
  intentId status substatus isTerminal finality sequence
  delivery { solveTxHash isValid }
  refund { status amount claimableAt txHash at }
  bids { nodes { bidIndex amountB solverAddress } }
  events { nodes { type args blockNumber } }
  solver { address wins settlements volumes { token delivered } chains { chain wins } }`

/** The query decides the answer's shape. */
// biome-ignore lint/suspicious/noExplicitAny: see above
type Any = any

/** Reads of the chains' active indexes and heads recur independently of queries. */
const ABOUT_CHAINS = /distinct on \(p\.chain_id\)|schema_name as schema from app\.projection/

async function statementsOf(query: string): Promise<{ data: Any; statements: string[] }> {
  const data = await rig.data(query)
  const statements = rig.takeStatements().filter((text) => !ABOUT_CHAINS.test(text))
  return { data, statements }
}

test('a page of 50 intents with bids, events, deliveries, refunds and solvers takes 4 statements', async () => {
  const { data, statements } = await statementsOf(`{ intents(first: 50) { nodes { ${NESTED} } } }`)
  expect(data.intents.nodes).toHaveLength(50)
  expect(data.intents.nodes.some((node: Any) => node.bids.nodes.length > 0)).toBe(true)
  expect(data.intents.nodes.every((node: Any) => node.events.nodes.length > 0)).toBe(true)
  expect(data.intents.nodes.some((node: Any) => node.solver !== null)).toBe(true)
  expect(statements).toHaveLength(4)
})

test('a filtered page of 300 intents takes no more statements than one of 50', async () => {
  const query = `{ intents(first: 300, where: { status: { in: [completed, settled, failed] } }) { nodes { ${NESTED} } } }`
  const { data, statements } = await statementsOf(query)
  expect(data.intents.nodes).toHaveLength(300)
  expect(statements).toHaveLength(4)
})

test('a page of the past takes one statement more, and a sparse list ends after a bounded number', async () => {
  const { _meta: meta } = await rig.data('{ _meta { chains { chainId block } } }')
  const asOf = `asOf: { chainId: "${BASE}", block: 1001 }`
  const before = `asOf: { chainId: "${BASE}", block: ${meta.chains[0].block} }`
  rig.takeStatements()
  const page = await statementsOf(
    `{ intents(first: 50, ${before}) { nodes { ${NESTED} timeline { type } } } }`,
  )
  expect(page.data.intents.nodes).toHaveLength(50)
  // The page with its timelines, the bids, the events, the solvers.
  expect(page.statements).toHaveLength(4)

  const rare = `where: { bestBidder: { eq: "0x00000000000000000000000000000000000000aa" } }`
  const none = await statementsOf(
    `{ intents(first: 1000, ${rare}, ${before}) { nodes { intentId } pageInfo { hasNextPage endCursor } } }`,
  )
  expect(none.data.intents.nodes).toEqual([])
  expect(none.statements.length).toBeLessThanOrEqual(8)
  const { errors } = await rig.ask(`{ intents(${asOf}) { nodes { id } } }`)
  expect(errors[0]?.extensions.code).toBe('RPC_UNREACHABLE')
})

test('a page with bids, events and totalCount takes 4 statements, with solvers 5, with timelines 6', async () => {
  const page = (fields: string) => `{ intents(first: 50) { totalCount nodes { ${fields} } } }`
  const lists = 'bids { nodes { amountB } } events { nodes { type } }'
  expect((await statementsOf(page(lists))).statements).toHaveLength(4)
  expect((await statementsOf(page(NESTED))).statements).toHaveLength(5)
  const reported = await statementsOf(page(`${NESTED} timeline { type status at }`))
  expect(reported.statements).toHaveLength(6)
  expect(reported.data.intents.nodes.every((node: Any) => node.timeline.length > 0)).toBe(true)
})

test('fields that a query doesn’t select aren’t read', async () => {
  const { statements } = await statementsOf('{ intents { nodes { intentId status } } }')
  expect(statements).toHaveLength(1)
})

test('an intent read before takes no statement, not even for its timeline', async () => {
  const { intents } = await rig.data('{ intents(first: 1) { nodes { intentId } } }')
  const query = `{ intent(id: "${intents.nodes[0].intentId}") { status refund { status } timeline { type at } } }`
  await rig.data(query)
  rig.takeStatements()
  expect((await statementsOf(query)).statements).toHaveLength(0)
})

test('many events read their intents in one statement', async () => {
  const { data, statements } = await statementsOf(
    '{ events(first: 100) { nodes { type intent { intentId status } } } }',
  )
  expect(data.events.nodes).toHaveLength(100)
  expect(statements).toHaveLength(2)
})

test('nested lists use indexes', async () => {
  const { statements } = await statementsOf(`{ intents(first: 50) { nodes { ${NESTED} } } }`)
  const nested = statements.filter((text) => text.includes('lateral'))
  expect(nested).toHaveLength(2)
  const keys = await rig.client.query(
    'select source_chain_id, intent_id::text from cairn.intent order by created_at desc limit 50',
  )
  const chains = keys.rows.map((row) => row.source_chain_id)
  const ids = keys.rows.map((row) => row.intent_id)
  for (const text of nested) {
    const values = text.includes('cairn.bid') ? [chains, ids, 0, 21] : [chains, ids, 21]
    const { rows } = await rig.client.query(`explain ${text}`, values)
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).not.toContain('Seq Scan')
    expect(plan).toMatch(/(bid_pkey|event_intent_id_type_index)/)
  }
})

test('reads of passed deadlines, newest events by chain and solvers use indexes', async () => {
  const { rows } = await rig.client.query(
    `select max(timestamp)::int as now, min(solver) as solver from cairn.chain_clock, cairn.solver_record`,
  )
  const { now, solver } = rows[0]
  const terms = {
    firmSeconds: 30,
    pickupWindow: 60,
    executionWindow: 3_600,
    settlementGrace: 3_600,
  }
  const step = { chainId: BASE, from: now - 2, to: now, terms }
  const reads: ((db: Db) => Promise<unknown>)[] = [
    (db) => findPassedDeadlines(db, step, 100),
    (db) => lastEventBlocks(db, [BASE, HORIZEN]),
    (db) => loadSolvers(db, [solver]),
  ]
  for (const read of reads) {
    const { sql, parameters } = await captureStatement(read)
    const explained = await rig.client.query(`explain ${sql}`, [...parameters])
    const plan = explained.rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).not.toMatch(/Seq Scan on (intent|event|bid|delivery)/)
  }
})
