import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BridgeOf } from '../../../api/rest/intents/renderIntent.ts'
import { blockTimes } from '../../../services/chain/blockTimes.ts'
import type { AsOf } from '../../../services/store/asOf/asOf.ts'
import { listIntentsAsOf } from '../../../services/store/asOf/listIntentsAsOf.ts'
import { resolveAsOf } from '../../../services/store/asOf/resolveAsOf.ts'
import type { ChainHead } from '../../../services/store/chains/chainHeads.ts'
import { readChainStates } from '../../../services/store/chains/readChainStates.ts'
import { type Db, openDatabase } from '../../../services/store/database/database.ts'
import type { IntentFilter } from '../../../services/store/intents/intentFilter.ts'
import type { IntentPlace } from '../../../services/store/intents/intentOrder.ts'
import type { StoredIntent } from '../../../services/store/intents/storedIntent.ts'
import { listOrders } from '../../../services/store/orders/listOrders.ts'
import { loadOrdersAsOf } from '../../../services/store/orders/loadOrdersAsOf.ts'
import { chainIdOf } from '../../../src/chain/names.ts'
import { STATUSES, type Status, status } from '../../../src/intent/status.ts'
import type { OrderFacts } from '../../../src/order/facts.ts'
import { ORDER_STATUSES, orderStatus } from '../../../src/order/orderStatus.ts'
import { TERMS } from '../../unit/projection/model/chainModel.ts'
import { type PastChain, type PastRig, startPastRig } from './pastRig.ts'
import { type Moment, type ReplayedPast, recordOf, replayPast } from './replayedPast.ts'

const MOMENTS = 9
const LISTS_A_MOMENT = 6

let rig: PastRig
let marks: Map<number, ChainHead>
let bridges: Map<number, BridgeOf>
const pasts: { moment: Moment; past: ReplayedPast }[] = []

beforeAll(async () => {
  rig = await startPastRig({ steps: 700, seed: 18 })
  marks = new Map(
    rig.chains.map(({ config, head }) => {
      const safeBlock = head.number - config.confirmations
      const last = head.number - 500
      return [
        config.chainId,
        { ...head, blockNumber: head.number, safeBlock, finalizedBlock: last - 50 },
      ]
    }),
  )
  bridges = new Map(
    rig.chains.map(({ config }) => [
      config.chainId,
      { address: config.bridge as BridgeOf['address'], terms: TERMS },
    ]),
  )
  for (const moment of fc.sample(anyMoment(rig.chains), { seed: 5, numRuns: MOMENTS })) {
    pasts.push({ moment, past: await replayPast(rig.chains, moment, marks) })
  }
})

afterAll(async () => {
  await rig?.stop()
})

/** A block of one chain, or of both. */
function anyMoment(chains: readonly PastChain[]): fc.Arbitrary<Moment> {
  const blockOf = ({ config, head }: PastChain) =>
    fc.tuple(
      fc.constant(config.name),
      fc.integer({ min: config.startBlock + 40, max: head.number - 480 }),
    )
  const [first, second] = chains as [PastChain, PastChain]
  return fc
    .oneof(
      fc.tuple(blockOf(first)),
      fc.tuple(blockOf(second)),
      fc.tuple(blockOf(first), blockOf(second)),
    )
    .map((blocks) => new Map(blocks))
}

async function asOfOf(db: Db, moment: Moment): Promise<AsOf> {
  const configured = rig.chains.map(({ config }) => config)
  const ready = (await readChainStates(db)).ready
  const heads = new Map(ready.map(({ chainId, head }) => [chainId, head]))
  const asked = [...moment].map(([name, blockNumber]) => {
    return { chainId: chainIdOf(name) as number, blockNumber }
  })
  const sources = { db, configured, blockTimes: blockTimes(configured) }
  return resolveAsOf(sources, { ready, backfilling: [], heads }, asked)
}

async function get(path: string) {
  const response = await fetch(`${rig.api.url}${path}`)
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked at field by field
  return { status: response.status, body: (await response.json()) as any }
}

async function graphql(query: string, variables: object = {}) {
  const response = await fetch(`${rig.api.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: an answer's shape is the query's
  return (await response.json()) as any
}

function parameter(moment: Moment): string {
  return [...moment].map(([name, block]) => `${name}:${block}`).join(',')
}

function argument(moment: Moment) {
  return [...moment].map(([chainId, block]) => ({ chainId, block }))
}

/** Without `sequence`, which is the present one. */
// biome-ignore lint/suspicious/noExplicitAny: as above
function told({ sequence, ...record }: any) {
  return record
}

function statusOf(stored: StoredIntent, { heads }: ReplayedPast): Status {
  return status(stored, heads).status
}

describe('an intent as it stood', () => {
  test('is what a replay up to the block has, whatever the block', async () => {
    const seen = new Set<Status>()
    for (const [turn, { moment, past }] of pasts.entries()) {
      const expected = new Map(past.intents.map((one) => [String(one.source.intentId), one]))
      for (const one of past.intents) seen.add(statusOf(one, past))
      const now = await get('/intents?limit=200')
      const some = (_: unknown, index: number) => index % 3 === turn % 3
      for (const { intentId, createTxHash } of now.body.intents.filter(some)) {
        const asOf = await get(`/intent-details/${intentId}?asOfBlock=${parameter(moment)}`)
        const replayed = expected.get(intentId)
        if (!replayed) {
          expect([asOf.status, asOf.body.code]).toEqual([404, 'INTENT_NOT_FOUND'])
          continue
        }
        expect(told(asOf.body.intent)).toEqual(recordOf(replayed, past, bridges))
        if (intentId.endsWith('7')) {
          const path = `/intent-details?txHash=${createTxHash}&asOfBlock=${parameter(moment)}`
          expect((await get(path)).body).toEqual(asOf.body)
        }
      }
    }
    expect([...seen].sort()).toEqual([...STATUSES].sort())
  })

  test('a number alone is a block of its source chain', async () => {
    const { config, head } = rig.chains[0]
    const block = head.number - 900
    const id = String((BigInt(config.chainId) << 64n) + 1n)
    const named = await get(`/intent-details/${id}?asOfBlock=${config.name}:${block}`)
    expect((await get(`/intent-details/${id}?asOfBlock=${block}`)).body).toEqual(named.body)
    expect(named.body.asOf).toContainEqual({
      chainId: String(config.chainId),
      blockNumber: block,
      timestamp: expect.any(String),
    })
  })

  test('its events and bids in GraphQL are those up to the block', async () => {
    for (const { moment, past } of pasts) {
      const { data, errors } = await graphql(
        `query ($asOf: [AsOfBlock!]) { intents(first: 100, asOf: $asOf) {
           nodes { intentId status bidCount sender winningAmountB delivery { amountB isValid }
             bids(first: 100) { nodes { amountB } }
             events(first: 100) { nodes { type blockHash logIndex intent { status bidCount } } } } } }`,
        { asOf: argument(moment) },
      )
      expect(errors).toBeUndefined()
      expect(data.intents.nodes).toHaveLength(past.intents.length)
      for (const node of data.intents.nodes) {
        const stored = past.intents.find(({ source }) => String(source.intentId) === node.intentId)!
        const { bidCount } = stored.source
        expect(node).toMatchObject({ status: statusOf(stored, past), bidCount })
        expect(node.bids.nodes).toHaveLength(bidCount)
        expect(node.events.nodes).toHaveLength(stored.events!.length)
        for (const event of node.events.nodes) {
          expect(event.intent).toEqual({ status: node.status, bidCount })
        }
      }
    }
  })
})

describe('a list as it stood', () => {
  test('is the replay’s, filtered and ordered alike, on every page', async () => {
    let found = 0
    for (const [index, { moment, past }] of pasts.entries()) {
      const lists = fc.sample(anyList(past), { seed: index, numRuns: LISTS_A_MOMENT })
      for (const list of lists) {
        const expected = expectedList(past, list)
        const query = queryOf(list, moment)
        const records = await everyPage(`/intents?${query}`)
        expect([query, records.map(({ intentId }) => intentId)]).toEqual([
          query,
          expected.map(({ source }) => String(source.intentId)),
        ])
        expect(records.map(told)).toEqual(expected.map((one) => recordOf(one, past, bridges)))
        found += records.length
      }
    }
    expect(found).toBeGreaterThan(40)
  })

  test('GraphQL walks it alike', async () => {
    for (const { moment, past } of pasts) {
      for (const word of ['pending', 'completed', 'failed'] as const) {
        const ids: string[] = []
        let after: string | null = null
        do {
          const { data, errors } = await graphql(
            `query ($asOf: [AsOfBlock!], $word: IntentStatus, $after: String) {
               intents(first: 3, after: $after, asOf: $asOf, where: { status: { eq: $word } }) {
                 nodes { intentId } pageInfo { hasNextPage endCursor } } }`,
            { asOf: argument(moment), word, after },
          )
          expect(errors).toBeUndefined()
          const { nodes, pageInfo } = data.intents
          ids.push(...nodes.map(({ intentId }: { intentId: string }) => intentId))
          after = pageInfo.hasNextPage ? pageInfo.endCursor : null
        } while (after !== null)
        const filter = { statuses: [word] }
        const order = { orderBy: 'createdAt', direction: 'desc' } as const
        const expected = expectedList(past, { filter, ...order })
        expect(ids).toEqual(expected.map(({ source }) => String(source.intentId)))
      }
    }
  })

  test('with hardly any work allowed, pages are short and together the same list', async () => {
    const { db, close } = openDatabase({ databaseUrl: rig.databaseUrl })
    const limits = { statements: 1, rows: 3, folds: 3, allFolds: 3 }
    const order = { by: 'amountA', direction: 'desc' } as const
    let short = 0
    for (const { moment, past } of pasts) {
      const filter = { statuses: ['completed', 'cancelled'] as Status[] }
      const asOf = await asOfOf(db, moment)
      const ids: bigint[] = []
      let after: IntentPlace | undefined
      for (let pages = 0; pages < 100; pages++) {
        const page = await listIntentsAsOf(db, { filter, order, after, limit: 2 }, asOf, limits)
        ids.push(...page.intents.map(({ source }) => source.intentId))
        if (page.next === null) break
        if (page.intents.length < 2) short++
        after = page.next
      }
      const expected = expectedList(past, { filter, orderBy: 'amountA', direction: 'desc' })
      expect(ids).toEqual(expected.map(({ source }) => source.intentId))
    }
    expect(short).toBeGreaterThan(5)
    await close()
  })

  test('it can be counted by what never changes, and by nothing else', async () => {
    const { moment, past } = pasts[0]!
    const sender = past.intents[0]!.source.sender
    const asked = `asOfBlock=${parameter(moment)}&total=true&limit=1`
    expect((await get(`/intents?${asked}`)).body.total).toBe(past.intents.length)
    expect((await get(`/intents?${asked}&sender=${sender}`)).body.total).toBe(
      past.intents.filter(({ source }) => source.sender === sender).length,
    )
    expect((await get(`/intents?${asked}&status=pending`)).body.code).toBe('INVALID_REQUEST')
    const { errors } = await graphql(
      `query ($asOf: [AsOfBlock!]) { intents(asOf: $asOf, where: { feeBps: { eq: 250 } }) { totalCount } }`,
      { asOf: argument(moment) },
    )
    expect(errors[0].extensions.code).toBe('BAD_USER_INPUT')
  })
})

describe('events up to a block', () => {
  test('are those of a replay, in both interfaces', async () => {
    for (const { moment, past } of pasts.slice(0, 3)) {
      const stored = past.intents.at(-1)!
      const id = String(stored.source.intentId)
      const rest = await get(`/intents/${id}/events?asOfBlock=${parameter(moment)}`)
      expect(rest.body.events).toHaveLength(stored.events!.length)
      const { data } = await graphql(
        `query ($asOf: [AsOfBlock!], $id: BigInt) { events(first: 1000, asOf: $asOf, where: { intentId: $id }) {
           nodes { type intent { status } } } }`,
        { asOf: argument(moment), id },
      )
      expect(data.events.nodes).toHaveLength(stored.events!.length)
      for (const { intent } of data.events.nodes) {
        expect(intent.status).toBe(statusOf(stored, past))
      }
    }
  })
})

describe('what can’t be looked at', () => {
  test.each([
    ['asOfBlock=base_sepolia:99999999', 400, 'BLOCK_NOT_INDEXED'],
    ['asOfBlock=base_sepolia:5', 400, 'BLOCK_BEFORE_START'],
    ['asOfBlock=polygon_amoy:500', 400, 'UNSUPPORTED_CHAIN'],
    ['asOfBlock=123', 400, 'INVALID_REQUEST'],
    ['asOfBlock=', 400, 'INVALID_REQUEST'],
    ['asOfBlock=base_sepolia:-1', 400, 'INVALID_REQUEST'],
    ['asOfBlock=base_sepolia:1e3', 400, 'INVALID_REQUEST'],
    ['asOfBlock=nowhere:500', 400, 'INVALID_REQUEST'],
    ['asOfBlock=base_sepolia:200,84532:201', 400, 'INVALID_REQUEST'],
    ['asOfBlock=base_sepolia:200&orderBy=updatedAt', 400, 'INVALID_REQUEST'],
    ['asOfBlock=base_sepolia:200&cursor=abc', 400, 'INVALID_CURSOR'],
  ])('%s', async (query, httpStatus, code) => {
    const answer = await get(`/intents?${query}`)
    expect([answer.status, answer.body.code]).toEqual([httpStatus, code])
  })

  test.each([
    ['intents(asOf: { chainId: "84532", block: 99999999 }) { nodes { id } }', 'BLOCK_NOT_INDEXED'],
    ['intents(asOf: { chainId: "84532", block: 5 }) { nodes { id } }', 'BLOCK_BEFORE_START'],
    ['intents(asOf: { chainId: "80002", block: 200 }) { nodes { id } }', 'UNSUPPORTED_CHAIN'],
    ['intents(asOf: []) { nodes { id } }', 'BAD_USER_INPUT'],
    ['intents(asOf: { chainId: "84532", block: -1 }) { nodes { id } }', 'BAD_USER_INPUT'],
    ['intents(last: 1, asOf: { chainId: "84532", block: 200 }) { nodes { id } }', 'BAD_USER_INPUT'],
    [
      'intents(orderBy: { field: updatedAt }, asOf: { chainId: "84532", block: 200 }) { nodes { id } }',
      'BAD_USER_INPUT',
    ],
  ])('%s', async (field, code) => {
    const { errors } = await graphql(`{ ${field} }`)
    expect(errors[0].extensions.code).toBe(code)
  })

  test('none of it is a fault of ours', () => {
    expect(rig.problems).toEqual([])
  })
})

type List = {
  filter: IntentFilter
  orderBy: 'createdAt' | 'endTime' | 'amountA' | 'reward'
  direction: 'asc' | 'desc'
}

/** A list that some intent may well be in. */
function anyList({ intents }: ReplayedPast): fc.Arbitrary<List> {
  const one = fc.constantFrom(...intents)
  const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 2 })
  return fc.record({
    filter: fc.record({
      statuses: maybe(fc.subarray([...STATUSES], { minLength: 1, maxLength: 3 })),
      sender: maybe(one.map(({ source }) => source.sender)),
      solver: maybe(one.map(({ source }) => source.solver ?? source.sender)),
      sourceChainId: maybe(one.map(({ source }) => source.sourceChainId)),
      updatedAt: maybe(one.map(({ source }) => ({ from: source.updatedAt }))),
      createdAt: maybe(one.map(({ source }) => ({ to: source.createdAt }))),
    }),
    orderBy: fc.constantFrom('createdAt', 'endTime', 'amountA', 'reward'),
    direction: fc.constantFrom('asc', 'desc'),
  })
}

function expectedList(past: ReplayedPast, { filter, orderBy, direction }: List): StoredIntent[] {
  const { statuses, sender, solver, sourceChainId, updatedAt, createdAt } = filter
  const way = direction === 'asc' ? 1 : -1
  return past.intents
    .filter((stored) => {
      const { source } = stored
      return (
        (!statuses || statuses.includes(statusOf(stored, past))) &&
        (!sender || source.sender === sender) &&
        (!solver || source.solver === solver) &&
        (!sourceChainId || source.sourceChainId === sourceChainId) &&
        source.updatedAt >= (updatedAt?.from ?? 0) &&
        source.createdAt <= (createdAt?.to ?? Number.POSITIVE_INFINITY)
      )
    })
    .sort(({ source: a }, { source: b }) => {
      if (a[orderBy] !== b[orderBy]) return a[orderBy] < b[orderBy] ? -way : way
      if (a.intentId !== b.intentId) return a.intentId < b.intentId ? -way : way
      return way * (a.sourceChainId - b.sourceChainId)
    })
}

function queryOf({ filter, orderBy, direction }: List, moment: Moment): string {
  const { statuses, sender, solver, sourceChainId, updatedAt, createdAt } = filter
  const given = {
    status: statuses?.join(),
    sender,
    solver,
    sourceChainId: sourceChainId?.toString(),
    updatedAfter: updatedAt?.from?.toString(),
    createdBefore: createdAt?.to?.toString(),
    orderBy,
    direction,
    asOfBlock: parameter(moment),
    limit: '3',
  }
  const entries = Object.entries(given).filter(([, value]) => value !== undefined)
  return new URLSearchParams(entries as [string, string][]).toString()
}

async function everyPage(path: string) {
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const records: any[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await get(cursor === '' ? path : `${path}&cursor=${cursor}`)
    expect(body.success, JSON.stringify(body)).toBe(true)
    records.push(...body.intents)
    cursor = body.nextCursor
  }
  return records
}

describe('scheduled orders', () => {
  const FIELDS = `orderId chainId status stopReason isClosed tranchesFired tranchesCompleted
    tranchesRefunded amountSpent amountRefunded amountLeft nextTrancheAt updatedBlock`

  test('as of a block are what a replay up to it has, whatever the block', async () => {
    const { db, close } = openDatabase({ databaseUrl: rig.databaseUrl })
    let compared = 0
    for (const { moment, past } of pasts) {
      const asOf = await asOfOf(db, moment)
      const keys = (await everyOrder(db)).map(({ chainId, orderId }) => ({ chainId, orderId }))
      const found = await loadOrdersAsOf(db, keys, asOf.horizons)
      const byKey = (orders: readonly OrderFacts[]) =>
        new Map(orders.map((order) => [`${order.chainId}:${order.orderId}`, order]))
      expect(byKey(found)).toEqual(byKey(past.orders))
      compared += found.length
    }
    await close()
    expect(compared).toBeGreaterThan(30)
  })

  test('over GraphQL stand as of a block as the rule says, their tranches and intents too', async () => {
    for (const { moment, past } of pasts.slice(0, 4)) {
      for (const order of past.orders.slice(0, 5)) {
        const query = `query ($asOf: [AsOfBlock!]) { order(id: "${order.orderId}",
          chainId: ${order.chainId}, asOf: $asOf) { id ${FIELDS}
            tranches(first: 100) { nodes { intent { status order { id } } } } } }`
        const { data, errors } = await graphql(query, { asOf: argument(moment) })
        expect(errors).toBeUndefined()
        const { timestamp } = past.heads.get(order.chainId)!
        expect(data.order).toMatchObject(orderStatus(order, timestamp))
        const { nodes } = data.order.tranches
        expect(nodes).toHaveLength(order.tranchesFired)
        for (const { intent } of nodes) expect(intent.order.id).toBe(data.order.id)
      }
    }
  })

  test('are listed by status as the rule says, over GraphQL and REST alike', async () => {
    const { db, close } = openDatabase({ databaseUrl: rig.databaseUrl })
    const heads = new Map(
      (await readChainStates(db)).ready.map(({ chainId, head }) => [chainId, head]),
    )
    const all = await everyOrder(db)
    await close()
    const seen = new Set<string>()
    for (const status of ORDER_STATUSES) {
      const expected = all
        .filter((order) => {
          const standing = orderStatus(order, heads.get(order.chainId)!.timestamp)
          return standing.status === status
        })
        .map(({ orderId }) => orderId)
      if (expected.length > 0) seen.add(status)
      const query = `{ orders(first: 100, where: { status: ${status} }) { totalCount nodes { orderId } } }`
      const { orders } = (await graphql(query)).data
      expect(orders.totalCount).toBe(expected.length)
      // biome-ignore lint/suspicious/noExplicitAny: an answer's shape is the query's
      const idsOf = (nodes: any[]) => nodes.map((node) => node.orderId ?? node.vaultOrderId).sort()
      expect(idsOf(orders.nodes)).toEqual(expected.toSorted())
      const { body } = await get(`/order-details?status=${status}&limit=100`)
      expect([body.total, idsOf(body.orders)]).toEqual([expected.length, expected.toSorted()])
    }
    expect(seen.size).toBeGreaterThan(1)
  })

  test('over REST are pages by user, and one by either id with its tranches', async () => {
    const first = await get('/order-details?limit=3')
    const [order] = first.body.orders
    const next = await get(`/order-details?limit=100&cursor=${first.body.nextCursor}`)
    expect(first.body.orders.length + next.body.orders.length).toBe(first.body.total)
    const own = await get(`/order-details?user=${order.user}&limit=100`)
    expect(own.body.orders.every(({ user }: { user: string }) => user === order.user)).toBe(true)
    for (const id of [order.id, order.vaultOrderId]) {
      const path = `/order-details/${id}?sourceChainId=${order.sourceChainId}`
      const { body } = await get(path)
      const { tranches, ...record } = body.order
      expect(record).toEqual(order)
      expect(tranches).toHaveLength(order.tranchesFilled)
    }
    const codes = await Promise.all(
      [`twap-${'0'.repeat(32)}`, 'twap-1', 'x'].map((id) => get(`/order-details/${id}`)),
    )
    expect(codes.map(({ status }) => status)).toEqual([404, 400, 400])
    expect((await get('/order-details?cursor=abc')).body.code).toBe('INVALID_CURSOR')
  })

  function everyOrder(db: Db) {
    const page = { direction: 'desc', fromEnd: false, limit: 1_000 } as const
    return listOrders(db, {}, new Map(), page)
  }
})
