import { type GraphQLObjectType, getNamedType, isLeafType, isObjectType } from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSchema } from '../../../api/graphql/createSchema.ts'
import { renderIntent } from '../../../api/rest/intents/renderIntent.ts'
import { STATUSES } from '../../../core/intent/status.ts'
import { readChainStates } from '../../../services/store/chains/readChainStates.ts'
import { openDatabase } from '../../../services/store/database/openDatabase.ts'
import { loadIntents } from '../../../services/store/intents/intentLookup.ts'
import { tokenOf } from '../../../tools/seed/seedSqlFunctions.ts'
import { BASE, type GraphqlRig, HORIZEN, startGraphqlRig, UNTIL } from './graphqlRig.ts'

let rig: GraphqlRig
beforeAll(async () => {
  rig = await startGraphqlRig({ intents: 400 })
})
afterAll(() => rig?.stop())

/** Fields with the same name in a REST record. */
const SHARED = `intentId sourceChainId destChainId solverAddress depositTxHash solveTxHash settleTxHash
  status timestamp settledAt sourceChain destChain substatus isTerminal finality sequence createTxHash
  anchorTxHash cancelTxHash sender tokenA tokenB amountA expectedAmountB reward feeBps endTime firmAt paramsHash quorum
  recipientClass blobsHash lock { solverAddress amount } askedAt askTxHash revealedAt revealTxHash
  forfeits { solverAddress amount reason txHash at } creditedAmountB
  winningAmountB bond fillDeadline chain2IntentId payout fee updatedAt
  refund { status amount claimableAt attestableAt txHash at }
  timeline { type status at chainId blockNumber txHash }`

test('every intent has the same text as over REST', async () => {
  const { intents } = await rig.data(`{ intents(first: 400) { nodes { ${SHARED} } } }`)
  const { db, close } = openDatabase({ databaseUrl: rig.databaseUrl })
  const { ready } = await readChainStates(db)
  const heads = new Map(ready.map(({ chainId, head }) => [chainId, head]))
  // biome-ignore lint/suspicious/noExplicitAny: the query decides the answer's shape
  const keys = intents.nodes.map((node: any) => ({
    sourceChainId: Number(node.sourceChainId),
    intentId: BigInt(node.intentId),
  }))
  const stored = await loadIntents(db, keys, { withEvents: true })
  await close()
  const records = new Map(
    stored.map((one) => {
      const bridge = ready.find(({ chainId }) => chainId === one.source.sourceChainId)?.bridge
      const { bids, ...record } = renderIntent(one, heads, bridge!)
      return [record.intentId, record]
    }),
  )
  expect(intents.nodes).toHaveLength(400)
  const seen = new Set<string>()
  for (const node of intents.nodes) {
    expect(node).toEqual(records.get(node.intentId))
    seen.add(node.status)
  }
  expect([...seen].sort()).toEqual(['cancelled', 'completed', 'expired', 'failed', 'settled'])
})

/** Selects all scalar fields of a type, and those of its objects down to `depth`. */
function everything(type: GraphQLObjectType, depth: number): string {
  return Object.values(type.getFields())
    .map(({ name, type: fieldType }) => {
      const inner = getNamedType(fieldType)
      if (!isObjectType(inner)) return name
      const fields = depth > 1 ? everything(inner, depth - 1) : ''
      return fields === '' ? '' : `${name} { ${fields} }`
    })
    .filter((field) => field !== '')
    .join(' ')
}

test('every field of every type can be read', async () => {
  const query = createSchema().getQueryType()!
  const { intents } = await rig.data('{ intents(first: 1) { nodes { intentId solverAddress } } }')
  const { orders } = await rig.data('{ orders(first: 1) { nodes { serviceId } } }')
  const { solvers } = await rig.data('{ solvers(first: 1) { nodes { address } } }')
  const needed: Record<string, string> = {
    intent: `(id: "${intents.nodes[0].intentId}")`,
    intentsByTransaction: `(hash: "0x${'0'.repeat(64)}")`,
    order: `(id: "${orders.nodes[0].serviceId}")`,
    solver: `(address: "${solvers.nodes[0].address}")`,
    bids: `(solver: "${solvers.nodes[0].address}", first: 5)`,
    deliveries: `(solver: "${solvers.nodes[0].address}", first: 5)`,
    node: `(id: "Bridge:${BASE}")`,
    search: '(text: "usdc")',
  }
  for (const { name, type } of Object.values(query.getFields())) {
    // A number has no fields; another test covers it.
    if (isLeafType(getNamedType(type))) continue
    const named = getNamedType(type) as GraphQLObjectType
    const paged = named.name.endsWith('Connection')
    const fields = everything(named, paged ? 4 : 3)
    const args = needed[name] ?? (paged ? '(first: 5)' : '')
    const { errors, data } = await rig.ask(`{ ${name}${args} { ${fields} } }`)
    expect(errors, name).toEqual([])
    expect(data[name], name).not.toBeNull()
  }
  expect(rig.problems).toEqual([])
})

test('an order leads to the intents of its tranches and back, by either id, and as a node', async () => {
  const terms = `id orderId serviceId chainId status stopReason isClosed totalTranches tranchesFired
    totalAmount amountSpent amountRefunded amountLeft tranchesCompleted tranchesRefunded nextTrancheAt`
  const { orders } = await rig.data(`{ orders(first: 100) { totalCount nodes { ${terms} owner
    tranches { nodes { trancheIndex firedTxHash intent {
      status sender createTxHash trancheIndex order { id } } } } } } }`)
  expect(orders.totalCount).toBe(20)
  const closed = new Set<boolean>()
  for (const { tranches, owner, ...order } of orders.nodes) {
    const [tranche] = tranches.nodes
    expect(tranche).toMatchObject({ trancheIndex: 0, firedTxHash: tranche.intent.createTxHash })
    expect(tranche.intent).toMatchObject({ sender: owner, order: { id: order.id } })
    expect([tranche.intent.trancheIndex, order.totalTranches, order.nextTrancheAt]).toEqual([
      ...[0, 1, null],
    ])
    const { amountSpent, amountRefunded, amountLeft, totalAmount } = order
    const parts = [amountSpent, amountRefunded, amountLeft].map(BigInt)
    expect(parts.reduce((sum, part) => sum + part)).toBe(BigInt(totalAmount))
    expect([order.status, order.stopReason]).toEqual(['completed', 'filled'])
    expect(amountLeft).toBe(order.isClosed ? '0' : '7')
    closed.add(order.isClosed)
    for (const id of [order.serviceId, order.orderId, order.orderId.toUpperCase()]) {
      const query = `{ order(id: "${id.replace('0X', '0x')}", chainId: ${order.chainId}) { ${terms} } }`
      expect((await rig.data(query)).order).toEqual(order)
    }
    const again = await rig.data(`{ node(id: "${order.id}") { ... on Order { ${terms} } } }`)
    expect(again.node).toEqual(order)
  }
  expect(closed).toEqual(new Set([true, false]))
  expect((await rig.data(`{ order(id: "twap-${'0'.repeat(32)}") { id } }`)).order).toBeNull()
  const { errors } = await rig.ask('{ order(id: "twap-1") { id } }')
  expect(errors[0]?.extensions.code).toBe('BAD_USER_INPUT')
})

test('orders can be filtered by owner, chain and status, and paged in both directions', async () => {
  const list = async (args: string) =>
    (
      await rig.data(`{ orders(${args}) { totalCount pageInfo { endCursor hasNextPage }
      nodes { id owner status chainId fundedAt } } }`)
    ).orders
  const all = await list('first: 100')
  const times = all.nodes.map(({ fundedAt }: { fundedAt: string }) => fundedAt)
  expect(times).toEqual(times.toSorted().toReversed())
  const { owner } = all.nodes[0]
  // biome-ignore lint/suspicious/noExplicitAny: the query decides the answer's shape
  const having = (test: (node: any) => boolean) => all.nodes.filter(test)
  expect((await list(`where: { owner: "${owner}" }`)).nodes).toEqual(
    having((node) => node.owner === owner),
  )
  expect((await list(`where: { chainId: ${BASE}, status: completed }`)).nodes).toEqual(
    having((node) => node.chainId === String(BASE)),
  )
  const both = `ownerIn: ["${owner}", "${all.nodes.at(-1).owner}"]`
  for (const [where, holds] of [
    [both, (node) => [owner, all.nodes.at(-1).owner].includes(node.owner)],
    ['ownerIn: []', () => false],
    ['statusIn: [active, completed]', (node) => /active|completed/.test(node.status)],
    ['statusIn: [active], chainIdIn: [84532]', () => false],
    ['chainIdIn: ["base_sepolia"]', (node) => node.chainId === String(BASE)],
    ['destChainIdIn: [1]', () => false],
    ['tokenAIn: [], tokenBIn: []', () => false],
    // biome-ignore lint/suspicious/noExplicitAny: the query decides the answer's shape
  ] as [string, (node: any) => boolean][]) {
    const { nodes, totalCount } = await list(`first: 100, where: { ${where} }`)
    expect([where, nodes, totalCount]).toEqual([where, having(holds), having(holds).length])
  }
  for (const status of ['active', 'cancelled'])
    expect((await list(`where: { status: ${status} }`)).totalCount).toBe(0)
  const first = await list('first: 3')
  const rest = await list(`first: 100, after: "${first.pageInfo.endCursor}"`)
  expect([...first.nodes, ...rest.nodes]).toEqual(all.nodes)
  expect((await list('last: 2')).nodes).toEqual(all.nodes.slice(-2))
})

test('time windows are shown correctly up to the longest that a bridge accepts', async () => {
  const longest = 2 ** 32 - 1
  const bridge = `"cairn_${BASE}_seeded".bridge`
  const names = 'pickup_window, execution_window, settlement_grace'
  const { rows } = await rig.client.query(`select ${names} from ${bridge}`)
  const set = (values: unknown[]) =>
    rig.client.query(`update ${bridge} set (${names}) = ($1::bigint, $2, $3)`, values)
  await set([longest, longest, longest])
  const query = `{ bridges(chainId: ${BASE}) { pickupWindow executionWindow settlementGrace } }`
  const reported = { pickupWindow: longest, executionWindow: longest, settlementGrace: longest }
  expect(await rig.data(query)).toEqual({ bridges: [reported] })
  await set(Object.values(rows[0]))
})

test('an id that two chains claim must be given with its chain', async () => {
  const { rows } = await rig.client.query(
    `select intent_id::text as id from "cairn_${BASE}_seeded".intent order by intent_id limit 1`,
  )
  const id = rows[0].id
  const columns = await rig.client.query(
    `select string_agg(case column_name when 'source_chain_id' then '${HORIZEN}' else column_name end, ', ' order by ordinal_position) as list
     from information_schema.columns where table_schema = 'cairn_${BASE}_seeded' and table_name = 'intent'`,
  )
  await rig.client.query(
    `insert into "cairn_${HORIZEN}_seeded".intent select ${columns.rows[0].list} from "cairn_${BASE}_seeded".intent where intent_id = ${id}`,
  )
  const { data, errors } = await rig.ask(`{ intent(id: "${id}") { status } }`)
  expect(data).toEqual({ intent: null })
  expect(errors[0]?.extensions).toMatchObject({
    code: 'AMBIGUOUS_INTENT_ID',
    details: { candidates: [String(BASE), String(HORIZEN)] },
  })
  const named = await rig.data(
    `{ intent(id: "${id}", sourceChainId: "horizen_testnet") { sourceChainId } }`,
  )
  expect(named.intent.sourceChainId).toBe(String(HORIZEN))
  await rig.client.query(`delete from "cairn_${HORIZEN}_seeded".intent where intent_id = ${id}`)
})

test('unknown ids, solvers and transactions give null, not errors', async () => {
  const data = await rig.data(`{
    intent(id: 1) { status }
    solver(address: "0x${'1'.repeat(40)}") { bids }
    intentsByTransaction(hash: "0x${'1'.repeat(64)}") { status }
    events(where: { intentId: 1 }) { nodes { type } } }`)
  expect(data).toEqual({
    intent: null,
    solver: null,
    intentsByTransaction: [],
    events: { nodes: [] },
  })
})

test('each transaction of an intent leads to the intent', async () => {
  const where = 'where: { status: { eq: completed } }'
  const { intents } = await rig.data(
    `{ intents(first: 1, ${where}) { nodes { intentId createTxHash anchorTxHash depositTxHash solveTxHash settleTxHash
       bids { nodes { bidTxHash } } } } }`,
  )
  const { intentId, bids, ...hashes } = intents.nodes[0]
  const all = [...Object.values<string>(hashes), bids.nodes[0].bidTxHash]
  const byHash = all.map((hash, i) => `t${i}: intentsByTransaction(hash: "${hash}") { intentId }`)
  const found = await rig.data(`{ ${byHash.join(' ')} }`)
  expect(Object.values(found)).toEqual(all.map(() => [{ intentId }]))
})

test('statistics are consistent with each other and with the intents', async () => {
  const data = await rig.data(`{
    days: pairDays(first: 1000) { totalCount nodes { created completed failed fees sourceChainId } }
    pairs: pairTotals(first: 1000) { totalCount nodes { created completed failed fees sourceChainId } }
    chains: chainTotals { chainId created completed failed pairs }
    all: intents { totalCount }
    completed: intents(where: { status: { eq: completed } }) { totalCount } }`)
  // biome-ignore lint/suspicious/noExplicitAny: the query decides the answer's shape
  const sum = (rows: any[], field: string) =>
    rows.reduce((total, row) => total + BigInt(row[field]), 0n)
  expect(data.days.totalCount).toBe(data.days.nodes.length)
  expect(data.pairs.totalCount).toBe(data.pairs.nodes.length)
  expect(sum(data.chains, 'pairs')).toBe(BigInt(data.pairs.totalCount))
  for (const field of ['created', 'completed', 'failed']) {
    expect(sum(data.pairs.nodes, field)).toBe(sum(data.days.nodes, field))
    expect(sum(data.chains, field)).toBe(sum(data.days.nodes, field))
  }
  expect(sum(data.pairs.nodes, 'fees')).toBe(sum(data.days.nodes, 'fees'))
  expect(sum(data.chains, 'created')).toBe(BigInt(data.all.totalCount))
  expect(sum(data.chains, 'completed')).toBe(BigInt(data.completed.totalCount))
})

test('statistics by hour, day, chain and solver add up to the intents', async () => {
  const day = (at: number) => new Date(at * 1_000).toISOString().slice(0, 10)
  const range = `day: { gte: "${day(UNTIL - 5 * 86_400)}", lte: "${day(UNTIL)}" }`
  const counts = 'created completed senders completionTimes { count p50 p99 }'
  const data = await rig.data(`{
    hours: pairHours(first: 1000) { totalCount nodes { hour ${counts} } }
    days: pairDays(first: 1000) { nodes { fees ${counts} } }
    totals: pairTotals(first: 1000) { nodes { completed completionTimes { count p50 p99 } } }
    chainHours: chainPeriods(by: hour) { chainId start ${counts} }
    chainDays: chainPeriods { chainId start ${counts} }
    someHours: chainPeriods(by: hour, chainId: "${BASE}", start: { gte: "${day(UNTIL)}T00:30:00Z" }) { chainId start }
    solvers: solverDays(first: 1000) { nodes { settlements deliveries fees completionTimes { count } } }
    senderCount(where: { ${range} })
    statusCounts { countedAt pending solving settled completed failed expired cancelled }
    ${STATUSES.map((word) => `${word}: intents(where: { status: { eq: ${word} } }) { totalCount }`).join(' ')}
    ofPair: senderCount(where: { ${range}, tokenA: "${tokenOf('USDC', BASE)}" }) }`)
  // biome-ignore lint/suspicious/noExplicitAny: the query decides the answer's shape
  const sum = (rows: any[], read: (row: any) => unknown) =>
    rows.reduce((total, row) => total + BigInt(read(row) as string), 0n)
  const {
    rows: [real],
  } = await rig.client.query(`select count(*)::int as created, count(settled_at)::int as completed,
      count(distinct (sender, source_chain_id, created_at / 3600))::int as hourly,
      count(distinct (sender, source_chain_id, created_at / 86400))::int as daily, count(distinct sender)::int as senders,
      count(distinct sender) filter (where token_a = '${tokenOf('USDC', BASE)}')::int as of_pair,
      percentile_disc(0.5) within group (order by settled_at - created_at) as p50,
      (select count(*)::int from cairn.delivery) as deliveries from cairn.intent`)
  expect(data.hours.totalCount).toBe(data.hours.nodes.length)
  for (const rows of [data.hours.nodes, data.days.nodes, data.chainHours, data.chainDays]) {
    expect(sum(rows, (row) => row.created)).toBe(BigInt(real.created))
    expect(sum(rows, (row) => row.completed)).toBe(BigInt(real.completed))
    expect(sum(rows, (row) => row.completionTimes.count)).toBe(BigInt(real.completed))
  }
  expect(sum(data.totals.nodes, (row) => row.completionTimes.count)).toBe(BigInt(real.completed))
  expect(sum(data.solvers.nodes, (row) => row.completionTimes.count)).toBe(BigInt(real.completed))
  expect(sum(data.solvers.nodes, (row) => row.deliveries)).toBe(BigInt(real.deliveries))
  expect(sum(data.solvers.nodes, (row) => row.fees)).toBe(sum(data.days.nodes, (row) => row.fees))
  expect(sum(data.chainHours, (row) => row.senders)).toBe(BigInt(real.hourly))
  expect(sum(data.chainDays, (row) => row.senders)).toBe(BigInt(real.daily))
  expect([data.senderCount, data.ofPair]).toEqual([real.senders, real.of_pair])
  for (const word of STATUSES)
    expect([word, data.statusCounts[word]]).toEqual([word, data[word].totalCount])
  // One percentile computed by hand, over all that Base completed on its last full day.
  const [full] = data.chainDays.filter((row: { chainId: string }) => row.chainId === String(BASE))
  const start = Date.parse(full.start) / 1_000
  const { rows } =
    await rig.client.query(`select percentile_disc(0.5) within group (order by settled_at - created_at)::int as p50
    from cairn.intent where source_chain_id = ${BASE} and settled_at >= ${start} and settled_at < ${start + 86_400}`)
  expect(full.completionTimes.p50).toBeGreaterThanOrEqual(rows[0].p50)
  expect(full.completionTimes.p50).toBeLessThanOrEqual(rows[0].p50 * (1 + 1 / 16))
  // A range begins with the first period that begins in it.
  for (const { chainId, start: at } of data.someHours)
    expect([chainId, Date.parse(at) >= Date.parse(`${day(UNTIL)}T01:00:00Z`)]).toEqual([
      String(BASE),
      true,
    ])
})

test.each([
  ['no days', ''],
  ['an open range', 'day: { gte: "2026-01-01" }'],
  ['too many', 'day: { gte: "2026-01-01", lte: "2026-12-31" }'],
])('GraphQL refuses to count senders over %s', async (_, where) => {
  const { errors } = await rig.ask(`{ senderCount(where: { ${where} }) }`)
  expect(errors.map(({ extensions }) => extensions.code)).toEqual(['BAD_USER_INPUT'])
})

test('a route is open if its token and destination are listed and creation is not paused', async () => {
  const route = async () => {
    const { routes } = await rig.data(
      '{ routes(first: 1) { nodes { sourceChainId destChainId tokenA isOpen minEscrow } } }',
    )
    return routes.nodes[0]
  }
  const { sourceChainId, tokenA, isOpen, minEscrow } = await route()
  expect(isOpen).toBe(true)
  expect(BigInt(minEscrow)).toBeGreaterThan(0n)
  const token = `"cairn_${sourceChainId}_seeded".bridge_token`
  const one = `where token = '${tokenA.toLowerCase()}'`
  await rig.client.query(`update ${token} set listed = false ${one}`)
  expect((await route()).isOpen).toBe(false)
  await rig.client.query(`update ${token} set listed = true ${one}`)
  const bridge = `update "cairn_${sourceChainId}_seeded".bridge set creation_paused`
  await rig.client.query(`${bridge} = true`)
  expect((await route()).isOpen).toBe(false)
  const closed = await rig.data(
    `{ routes(where: { isOpen: true, sourceChainId: ${sourceChainId} }) { totalCount } }`,
  )
  expect(closed.routes.totalCount).toBe(0)
  await rig.client.query(`${bridge} = false`)
})

test('the total in escrow is the sum of its parts', async () => {
  const { escrow } = await rig.data('{ escrow { open stakes credits deliveryCredits fees total } }')
  expect(escrow.length).toBeGreaterThan(0)
  for (const { total, ...parts } of escrow) {
    const sum = Object.values(parts as Record<string, string>).reduce(
      (all, part) => all + BigInt(part),
      0n,
    )
    expect(BigInt(total)).toBe(sum)
  }
})

test('the error for a refused scalar value gives a valid example', async () => {
  const literal = await rig.ask(
    '{ pairDays(where: { day: { gte: "yesterday" } }) { nodes { day } } }',
  )
  const variable = await rig.ask(
    'query ($where: PairDayFilter) { pairDays(where: $where) { nodes { day } } }',
    { where: { day: { gte: 'yesterday' } } },
  )
  const example = 'Date: expected a day, such as "2026-01-31"'
  for (const { errors } of [literal, variable]) expect(errors[0]?.message).toContain(example)
  const time = await rig.ask('{ intents(where: { createdAt: { gte: "soon" } }) { totalCount } }')
  expect(time.errors[0]?.message).toContain('such as "2026-01-31T12:00:00Z"')
})
