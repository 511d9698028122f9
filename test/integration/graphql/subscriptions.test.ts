import { type Client, createClient } from 'graphql-sse'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Listening, listen } from '../../../api/http/listen.ts'
import { setChainClock } from '../../../tools/seed/createChainTables.ts'
import { until } from '../../rig/until.ts'
import { BASE, type GraphqlRig, HORIZEN, startGraphqlRig, UNTIL } from './graphqlRig.ts'

const BASE_TABLES = `cairn_${BASE}_seeded`

let rig: GraphqlRig
let server: Listening
const clients: Client[] = []

beforeAll(async () => {
  rig = await startGraphqlRig({ intents: 200 })
  for (const chain of [BASE, HORIZEN]) {
    await rig.client.query(`select app.install_row_triggers('cairn_${chain}_seeded')`)
  }
  server = await listen((request) => rig.graphql.handle(request, 'a client'), '127.0.0.1', 0)
})

afterEach(async () => {
  for (const client of clients.splice(0)) client.dispose()
  await until(() => rig.graphql.subscriptions() === 0)
  expect(rig.problems).toEqual([])
})

afterAll(async () => {
  await server?.stop()
  await rig?.stop()
})

/**
 * Subscribes with a stock client in distinct-connections mode; resolves once the server holds the
 * subscription.
 */
async function subscribe(query: string, variables = {}) {
  const client = createClient({ url: `http://127.0.0.1:${server.port}/graphql`, retryAttempts: 0 })
  clients.push(client)
  const held = rig.graphql.subscriptions()
  const iterator = client.iterate({ query, variables })
  const first = iterator.next()
  first.catch(() => {})
  await until(() => rig.graphql.subscriptions() === held + 1)
  let pending: ReturnType<typeof iterator.next> | null = first
  return {
    client,
    // biome-ignore lint/suspicious/noExplicitAny: the query decides the result's shape
    next: async (): Promise<any> => {
      const result = await (pending ?? iterator.next())
      pending = null
      return result.done ? 'complete' : result.value
    },
  }
}

/**
 * Skips updates, since some from an earlier test may still arrive.
 * @returns the first result of another kind
 */
async function afterUpdates({ next }: Pick<Awaited<ReturnType<typeof subscribe>>, 'next'>) {
  for (;;) {
    const result = await next()
    if (!result.data) return result
  }
}

async function pick(where: string) {
  const { rows } = await rig.client.query(
    `select *, intent_id::text as id from "${BASE_TABLES}".intent where ${where} order by intent_id limit 1`,
  )
  return rows[0]
}

/** Commits the changes of one block, as Ponder does. */
async function commit(statements: string[]) {
  await rig.client.query(['begin', ...statements, 'commit'].join(';\n'))
}

test('the first block after a start announces the deadlines passed by then', async () => {
  // Must be the first test: the server has seen no clock yet.
  const intent = await pick(`phase = 'open'`)
  const end = UNTIL + 3
  const written = new Promise<void>((resolve) => {
    rig.feed.subscribe((event) => {
      if (event.kind === 'change' && event.change.table === 'intent') resolve()
    })
  })
  await rig.client.query(
    `update "${BASE_TABLES}".intent set end_time = ${end}, pickup_deadline = ${end + 120} where intent_id = ${intent.id}`,
  )
  await written
  const updates = await subscribe(
    `subscription { intentUpdated(id: "${intent.id}", status: expired) { cause intent { substatus } } }`,
  )
  await setChainClock(rig.client, BASE_TABLES, {
    chainId: BASE,
    chainName: 'base_sepolia',
    blockNumber: 190_000,
    timestamp: end,
  })
  expect((await updates.next()).data.intentUpdated).toEqual({
    cause: 'deadline',
    intent: { substatus: 'no_bids' },
  })
})

test('a block that changes several rows of an intent causes one update, with the current record', async () => {
  const intent = await pick(`phase = 'bidding'`)
  const updates = await subscribe(
    `subscription ($id: BigInt) { intentUpdated(id: $id) { intentId sourceChainId cause sequence
      intent { status bidCount bestBid bids { nodes { bidIndex amountB } } } } }`,
    { id: intent.id },
  )
  const amount = BigInt(intent.best_bid) + 1n
  const index = intent.bid_count + 1
  await commit([
    `insert into "${BASE_TABLES}".bid values (${BASE}, ${intent.id}, ${index}, '${intent.best_bidder}', ${amount}, '0x01', ${UNTIL}, 9)`,
    `update "${BASE_TABLES}".intent set bid_count = ${index}, best_bid = ${amount} where intent_id = ${intent.id}`,
  ])
  const { data } = await updates.next()
  expect(data.intentUpdated).toMatchObject({
    intentId: intent.id,
    sourceChainId: String(BASE),
    cause: 'event',
    intent: { bidCount: index, bestBid: String(amount) },
  })
  expect(data.intentUpdated.intent.bids.nodes.at(-1)).toEqual({
    bidIndex: index,
    amountB: String(amount),
  })

  // The next update reads the intent again, with its nested lists.
  await commit([`delete from "${BASE_TABLES}".bid where intent_id = ${intent.id}`])
  const second = (await updates.next()).data.intentUpdated
  expect(second.intent.bids.nodes).toEqual([])
  expect(BigInt(second.sequence)).toBeGreaterThan(BigInt(data.intentUpdated.sequence))
})

test('arguments filter intent updates by sender, winner and new status', async () => {
  const mine = await pick(`phase = 'deposited'`)
  const other = await pick(`phase = 'cancelled' and sender <> '${mine.sender}'`)
  const query = (args: string) => `subscription { intentUpdated(${args}) { intentId } }`
  const bySender = await subscribe(
    query(`sender: "${mine.sender.toUpperCase().replace('0X', '0x')}"`),
  )
  const byWinner = await subscribe(query(`solver: "${mine.solver}"`))
  const byStatus = await subscribe(query('status: cancelled'))
  const touch = (id: string) =>
    `update "${BASE_TABLES}".intent set updated_block = updated_block + 1 where intent_id = ${id}`
  await commit([touch(mine.id), touch(other.id)])
  expect((await bySender.next()).data.intentUpdated.intentId).toBe(mine.id)
  expect((await byWinner.next()).data.intentUpdated.intentId).toBe(mine.id)
  expect((await byStatus.next()).data.intentUpdated.intentId).toBe(other.id)
})

test('a reorg that removes a settlement causes an update with the earlier status', async () => {
  const intent = await pick(`phase = 'completed'`)
  const updates = await subscribe(
    `subscription { intentUpdated(id: "${intent.id}") {
      id isRemoved event { type intentId } intent { status settleTxHash } } }`,
  )
  await commit([
    `delete from "${BASE_TABLES}".event where intent_id = ${intent.id} and type = 'IntentSettled'`,
    `update "${BASE_TABLES}".intent set phase = 'deposited', settle_tx_hash = null where intent_id = ${intent.id}`,
  ])
  const { data } = await updates.next()
  expect(data.intentUpdated).toEqual({
    id: expect.stringMatching(new RegExp(`^IntentUpdate:${BASE}:${intent.id}:\\d+$`)),
    isRemoved: true,
    event: { type: 'IntentSettled', intentId: intent.id },
    intent: { status: 'settled', settleTxHash: null },
  })
})

test('a reorg that removes a creation causes an update for followers of the sender', async () => {
  const intent = await pick(`phase = 'cancelled'`)
  const query = `subscription ($sender: Address, $status: IntentStatus) {
    intentUpdated(sender: $sender, status: $status) { intentId cause intent { status } } }`
  const updates = await subscribe(query, { sender: intent.sender, status: 'completed' })
  await commit([
    `delete from "${BASE_TABLES}".event where intent_id = ${intent.id}`,
    `delete from "${BASE_TABLES}".intent where intent_id = ${intent.id}`,
  ])
  expect((await updates.next()).data.intentUpdated).toEqual({
    intentId: intent.id,
    cause: 'event',
    intent: null,
  })
})

test('a chain that passes a deadline causes an update without an event', async () => {
  const from = UNTIL + 1_000
  const clock = (timestamp: number) =>
    setChainClock(rig.client, BASE_TABLES, {
      chainId: BASE,
      chainName: 'base_sepolia',
      blockNumber: 200_000,
      timestamp,
    })
  const intent = await pick(`phase = 'open'`)
  await rig.client.query(
    `update "${BASE_TABLES}".intent set end_time = ${from + 10}, pickup_deadline = ${from + 130} where intent_id = ${intent.id}`,
  )
  const reached = new Promise<void>((resolve) => {
    rig.feed.subscribe((event) => {
      if (event.kind === 'clock' && event.clock.timestamp === from) resolve()
    })
  })
  await clock(from)
  await reached
  const updates = await subscribe(
    `subscription { intentUpdated(status: expired) {
      id intentId cause sequence event { type } isRemoved intent { substatus refund { status } } } }`,
  )
  await clock(from + 9)
  await clock(from + 10)
  expect((await updates.next()).data.intentUpdated).toEqual({
    id: `IntentUpdate:${BASE}:${intent.id}:${BASE}@${from + 10}`,
    intentId: intent.id,
    cause: 'deadline',
    sequence: '0',
    event: null,
    isRemoved: false,
    intent: { substatus: 'no_bids', refund: { status: 'due' } },
  })
})

test('the intent of an event has the status as of the event, not as of the subscription', async () => {
  const from = UNTIL + 2_000
  const intent = await pick(`phase = 'open'`)
  await rig.client.query(
    `update "${BASE_TABLES}".intent set end_time = ${from}, pickup_deadline = ${from + 120} where intent_id = ${intent.id}`,
  )
  const updates = await subscribe(
    `subscription { events(intentId: "${intent.id}") { event { intent { status } } } }`,
  )
  const passed = new Promise<void>((resolve) => {
    rig.feed.subscribe((event) => {
      if (event.kind === 'clock' && event.clock.timestamp === from) resolve()
    })
  })
  await setChainClock(rig.client, BASE_TABLES, {
    chainId: BASE,
    chainName: 'base_sepolia',
    blockNumber: 210_000,
    timestamp: from,
  })
  await passed
  await commit([
    `insert into "${BASE_TABLES}".event values (${BASE}, 210000, 3, '0xaa', ${from}, '0x07', '0x08',
      'BlobAppended', ${BASE}, ${intent.id}, '{"intentId":"${intent.id}"}')`,
  ])
  expect((await updates.next()).data.events.event.intent.status).toBe('expired')
})

test('events arrive when indexed, and again as removed when their block is orphaned', async () => {
  const intent = await pick(`phase = 'completed'`)
  const updates = await subscribe(
    `subscription { events(type: BlobAppended, chain: "base_sepolia") {
      id isRemoved event { type blockNumber blockHash intentId args intent { status } } } }`,
  )
  const place = `chain_id = ${BASE} and block_number = 900001 and log_index = 3`
  const insert = (hash: string) => `insert into "${BASE_TABLES}".event values (${BASE}, 900001, 3,
    '${hash}', ${UNTIL}, '0x07', '0x08', 'BlobAppended', ${BASE}, ${intent.id}, '{"intentId":"${intent.id}"}')`
  const reported = { type: 'BlobAppended', blockNumber: 900_001, intentId: intent.id }
  const ofIntent = await subscribe(
    `subscription { intentUpdated(id: "${intent.id}") { isRemoved event { id blockHash } } }`,
  )
  await commit([insert('0xaa')])
  const cause = (await ofIntent.next()).data.intentUpdated
  expect(cause).toEqual({
    isRemoved: false,
    event: { id: `Event:${BASE}:900001:3:0xaa`, blockHash: '0xaa' },
  })
  const id = `EventUpdate:${BASE}:900001:3:0xaa`
  expect((await updates.next()).data.events).toMatchObject({
    id,
    isRemoved: false,
    event: { ...reported, blockHash: '0xaa', intent: { status: 'completed' } },
  })
  await commit([`delete from "${BASE_TABLES}".event where ${place}`, insert('0xbb')])
  expect((await updates.next()).data.events).toMatchObject({
    id: `${id}:removed`,
    isRemoved: true,
    event: { ...reported, blockHash: '0xaa' },
  })
  expect((await updates.next()).data.events).toMatchObject({
    isRemoved: false,
    event: { ...reported, blockHash: '0xbb' },
  })
  await commit([`delete from "${BASE_TABLES}".event where ${place}`])
  expect((await updates.next()).data.events.isRemoved).toBe(true)
})

test('an event replaced several times before anyone read it gives only the net difference', async () => {
  const intent = await pick(`phase = 'completed'`)
  const updates = await subscribe(
    'subscription { events(type: BlobAppended) { isRemoved event { blockHash } } }',
  )
  const remove = `delete from "${BASE_TABLES}".event
    where chain_id = ${BASE} and block_number = 900002 and log_index = 3`
  const insert = (hash: string) => `insert into "${BASE_TABLES}".event values (${BASE}, 900002, 3,
    '${hash}', ${UNTIL}, '0x07', '0x08', 'BlobAppended', ${BASE}, ${intent.id}, '{"intentId":"${intent.id}"}')`
  const reported = async (count: number) => {
    const heard: string[] = []
    while (heard.length < count) {
      const { isRemoved, event } = (await updates.next()).data.events
      heard.push(`${isRemoved ? '-' : '+'}${event.blockHash}`)
    }
    return heard
  }
  await commit([insert('0xa1'), remove, insert('0xb1')])
  expect(await reported(1)).toEqual(['+0xb1'])
  await commit([remove, insert('0xc1'), remove, insert('0xd1')])
  expect(await reported(2)).toEqual(['-0xb1', '+0xd1'])
  // The event is back in the block last reported.
  await commit([remove, insert('0xe1'), remove, insert('0xd1')])
  await commit([remove])
  expect(await reported(1)).toEqual(['-0xd1'])
})

test('pushEvents has the ids of the journal, and resumes after the last id a client received', async () => {
  const { rows } = await rig.client.query(
    `select intent_id::text as id from "${BASE_TABLES}".intent order by intent_id limit 2`,
  )
  let lines = 0
  const write = async (id: string) => {
    lines += 1
    const { rows: written } = await rig.client.query(
      `insert into app.push_event (type, key, chain_id, at, source_chain_id, dest_chain_id, intent_id, sender, data)
       values ('intent.pending', 'journal' || $2::text, ${BASE}, ${UNTIL}, ${BASE}, ${HORIZEN}, $1::numeric, '0x01',
         jsonb_build_object('intentId', $1::text)) returning 'evt_' || sequence as id`,
      [id, lines],
    )
    await rig.client.query('notify cairn_push')
    return written[0].id as string
  }
  const [first, second] = rows.map(({ id }) => id as string) as [string, string]
  const query = `subscription ($ids: [BigInt!], $after: ID) {
    pushEvents(intents: $ids, after: $after) { id type intentId orderId data intent { intentId } } }`
  const live = await subscribe(query, { ids: [second] })
  const before = await write(first)
  const reported = await write(second)
  const expected = {
    id: reported,
    type: 'intent.pending',
    intentId: second,
    orderId: null,
    data: { intentId: second },
    intent: { intentId: second },
  }
  // The stream starts once the server has read the journal's end, which the client can't observe.
  let heard: unknown
  live.next().then(({ data }) => {
    heard = data.pushEvents
  })
  await until(
    async () => {
      if (heard === undefined) await write(second)
      return heard !== undefined
    },
    'an event comes',
    { interval: 100 },
  )
  expect(heard).toEqual({ ...expected, id: expect.stringMatching(/^evt_\d+$/) })
  const resumed = await subscribe(query, { ids: [first, second], after: before })
  expect((await resumed.next()).data.pushEvents).toEqual(expected)
  const all = await subscribe(query, { ids: [first], after: '0' })
  expect((await all.next()).data.pushEvents.id).toBe(before)
  const foreign = await subscribe(query, { ids: [first], after: 'evt_9000000000000000' })
  expect((await foreign.next()).errors[0].extensions.code).toBe('MISSED_CHANGES')
  for (const wrong of ['types: ["recipients"]', 'after: "x"', 'intents: []']) {
    const { errors } = await rig.ask(`subscription { pushEvents(${wrong}) { id } }`)
    expect(errors[0]?.extensions.code).toBe('BAD_USER_INPUT')
  }
})

test('the server forgets a client that leaves', async () => {
  const { client } = await subscribe('subscription { events { isRemoved } }')
  expect(rig.graphql.subscriptions()).toBe(1)
  client.dispose()
  await until(() => rig.graphql.subscriptions() === 0)
})

test('a reader that falls behind gets SLOW_CONSUMER and is disconnected', async () => {
  const request = new Request('http://cairn.test/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query: 'subscription { intentUpdated { intentId } }' }),
  })
  const response = await rig.graphql.handle(request, 'slow')
  // Waiting changes of one intent merge into one update, so the number needed varies.
  await until(async () => {
    await rig.client.query(`update "${BASE_TABLES}".intent set updated_block = updated_block + 1`)
    return rig.graphql.subscriptions() === 0
  })
  const text = await response.text()
  expect(text).toContain('"code":"SLOW_CONSUMER"')
  expect(text.trimEnd()).toMatch(/event: complete\ndata:$/)
})

test('a stream that began under another build of the index ends with MISSED_CHANGES', async () => {
  const updates = await subscribe('subscription { intentUpdated { intentId } }')
  await rig.client.query(
    `update app.projection set schema_name = schema_name || '2' where chain_id = ${HORIZEN}`,
  )
  await rig.client.query(`notify cairn_projection, 'another build'`)
  const { errors } = await afterUpdates(updates)
  expect(errors[0].extensions.code).toBe('MISSED_CHANGES')
  expect(await updates.next()).toBe('complete')
  await rig.client.query(
    `update app.projection set schema_name = left(schema_name, -1) where chain_id = ${HORIZEN}`,
  )
})

test('closing the API ends open subscriptions without completing them, so that clients subscribe again', async () => {
  const updates = await subscribe('subscription { intentUpdated { intentId } }')
  rig.graphql.close()
  await expect(afterUpdates(updates)).rejects.toThrow('Connection closed')
})
