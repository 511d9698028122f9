import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BridgeOf } from '../../../api/rest/intents/renderIntent.ts'
import { findChainId } from '../../../core/chain/chainNames.ts'
import { STATUSES, type Status } from '../../../core/intent/status.ts'
import { createBlockReader } from '../../../services/chain/blockReader.ts'
import { listIntentsAsOf } from '../../../services/store/asOf/listIntentsAsOf.ts'
import { type AsOf, resolveAsOf } from '../../../services/store/asOf/resolveAsOf.ts'
import { type ChainHead, readChainStates } from '../../../services/store/chains/readChainStates.ts'
import { type Db, openDatabase } from '../../../services/store/database/openDatabase.ts'
import type { IntentPlace } from '../../../services/store/intents/intentSortOrder.ts'
import { TERMS } from '../../unit/projection/model/chainModel.ts'
import {
  anyList,
  anyNestedFilter,
  REFUND_LISTS,
  replayList,
  statusOf,
  toGraphqlMoment,
  toRestMoment,
  toRestQuery,
} from './arbitraryAsOfLists.ts'
import { type PastChain, type PastRig, startPastRig } from './asOfRig.ts'
import { describeOrdersAsOf } from './describeOrdersAsOf.ts'
import { type IntentRecord, type PastAnswer, type PastQuery, queryPast } from './queryAsOf.ts'
import { type Moment, type ReplayedPast, recordOf, replayPast } from './replayAsOf.ts'

const MOMENTS = 9
const LISTS_A_MOMENT = 6

let rig: PastRig
let get: (path: string) => Promise<PastAnswer>
let graphql: (query: string, variables?: object) => Promise<PastQuery>
let marks: Map<number, ChainHead>
let bridges: Map<number, BridgeOf>
const pasts: { moment: Moment; past: ReplayedPast }[] = []

beforeAll(async () => {
  rig = await startPastRig({ steps: 700, seed: 18 })
  ;({ get, graphql } = queryPast(rig.api.url))
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
    return { chainId: findChainId(name) as number, blockNumber }
  })
  const sources = { db, configured, readBlock: createBlockReader(configured) }
  return resolveAsOf(sources, { ready, backfilling: [], heads }, asked)
}

/** Without `sequence`, which is the present one. */
function unsequenced({ sequence, ...record }: IntentRecord): object {
  return record
}

describe('an intent as of a block', () => {
  test('equals a replay up to that block', async () => {
    const seen = new Set<Status>()
    for (const [turn, { moment, past }] of pasts.entries()) {
      const expected = new Map(past.intents.map((one) => [String(one.source.intentId), one]))
      for (const one of past.intents) seen.add(statusOf(one, past))
      const now = await get('/intents?limit=200')
      const some = (_: unknown, index: number) => index % 3 === turn % 3
      for (const { intentId, createTxHash } of now.body.intents.filter(some)) {
        const asOf = await get(`/intent-details/${intentId}?asOfBlock=${toRestMoment(moment)}`)
        const replayed = expected.get(intentId)
        if (!replayed) {
          expect([asOf.status, asOf.body.code]).toEqual([404, 'INTENT_NOT_FOUND'])
          continue
        }
        expect(unsequenced(asOf.body.intent)).toEqual(recordOf(replayed, past, bridges))
        if (intentId.endsWith('7')) {
          const path = `/intent-details?txHash=${createTxHash}&asOfBlock=${toRestMoment(moment)}`
          expect((await get(path)).body).toEqual(asOf.body)
        }
      }
    }
    expect([...seen].sort()).toEqual([...STATUSES].sort())
  })

  test('takes a number alone as a block of its source chain', async () => {
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

  test('has the events and bids up to the block in GraphQL', async () => {
    for (const { moment, past } of pasts) {
      const { data, errors } = await graphql(
        `query ($asOf: [AsOfBlock!]) { intents(first: 100, asOf: $asOf) {
           nodes { intentId status bidCount sender winningAmountB delivery { amountB isValid }
             bids(first: 100) { nodes { amountB } }
             events(first: 100) { nodes { type blockHash logIndex intent { status bidCount } } } } } }`,
        { asOf: toGraphqlMoment(moment) },
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

describe('a list as of a block', () => {
  test('equals a replay’s list with the same filter and order, on every page', async () => {
    let found = 0
    for (const [index, { moment, past }] of pasts.entries()) {
      const lists = fc.sample(anyList(past), { seed: index, numRuns: LISTS_A_MOMENT })
      for (const list of [...lists, ...REFUND_LISTS]) {
        const expected = replayList(past, list)
        const query = toRestQuery(list, moment)
        const records = await everyPage(`/intents?${query}`)
        expect([query, records.map(({ intentId }) => intentId)]).toEqual([
          query,
          expected.map(({ source }) => String(source.intentId)),
        ])
        expect(records.map(unsequenced)).toEqual(
          expected.map((one) => recordOf(one, past, bridges)),
        )
        found += records.length
      }
    }
    expect(found).toBeGreaterThan(40)
  })

  test('is the same through GraphQL', async () => {
    for (const { moment, past } of pasts) {
      for (const word of ['pending', 'completed', 'failed'] as const) {
        const ids: string[] = []
        let after: string | null = null
        do {
          const { data, errors } = await graphql(
            `query ($asOf: [AsOfBlock!], $word: IntentStatus, $after: String) {
               intents(first: 3, after: $after, asOf: $asOf, where: { status: { eq: $word } }) {
                 nodes { intentId } pageInfo { hasNextPage endCursor } } }`,
            { asOf: toGraphqlMoment(moment), word, after },
          )
          expect(errors).toBeUndefined()
          const { nodes, pageInfo } = data.intents
          ids.push(...nodes.map(({ intentId }) => intentId))
          after = pageInfo.hasNextPage ? pageInfo.endCursor : null
        } while (after !== null)
        const filter = { statuses: [word] }
        const order = { orderBy: 'createdAt', direction: 'desc' } as const
        const expected = replayList(past, { filter, ...order })
        expect(ids).toEqual(expected.map(({ source }) => String(source.intentId)))
      }
    }
  })

  test('filters nest with or and not', async () => {
    let some = 0
    let counted = 0
    for (const [index, { moment, past }] of pasts.entries()) {
      for (const { where, passes } of fc.sample(anyNestedFilter(past.intents), {
        seed: index,
        numRuns: 12,
      })) {
        const expected = past.intents.filter((stored) => passes(stored, past))
        const asked = { asOf: toGraphqlMoment(moment), where }
        const { data, errors } = await graphql(
          `query ($asOf: [AsOfBlock!], $where: IntentFilter) {
             intents(first: 1000, asOf: $asOf, where: $where) {
               nodes { intentId } pageInfo { hasNextPage } } }`,
          asked,
        )
        expect([where, errors]).toEqual([where, undefined])
        const { nodes, pageInfo } = data.intents
        const ids = nodes.map(({ intentId }) => intentId)
        expect([where, ids.sort(), pageInfo.hasNextPage]).toEqual([
          where,
          expected.map(({ source }) => String(source.intentId)).sort(),
          false,
        ])
        if (ids.length > 0 && ids.length < past.intents.length) some++
        const count = await graphql(
          `query ($asOf: [AsOfBlock!], $where: IntentFilter) {
             intents(asOf: $asOf, where: $where) { totalCount } }`,
          asked,
        )
        // What contradicts itself is none, whatever it asks for.
        const changing = /status|solver|settledAt/.test(JSON.stringify(where))
        if (changing && count.errors)
          expect(count.errors[0]?.extensions.code).toBe('BAD_USER_INPUT')
        else expect([where, count.data?.intents.totalCount]).toEqual([where, expected.length])
        if (!changing) counted++
      }
    }
    expect(some).toBeGreaterThan(20)
    expect(counted).toBeGreaterThan(3)
  })

  test('has the same entries in shorter pages when the work per page is limited', async () => {
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
      const expected = replayList(past, { filter, orderBy: 'amountA', direction: 'desc' })
      expect(ids).toEqual(expected.map(({ source }) => source.intentId))
    }
    expect(short).toBeGreaterThan(5)
    await close()
  })

  test('can be counted by fields that never change, and by no others', async () => {
    const { moment, past } = pasts[0]!
    const sender = past.intents[0]!.source.sender
    const asked = `asOfBlock=${toRestMoment(moment)}&total=true&limit=1`
    expect((await get(`/intents?${asked}`)).body.total).toBe(past.intents.length)
    expect((await get(`/intents?${asked}&sender=${sender}`)).body.total).toBe(
      past.intents.filter(({ source }) => source.sender === sender).length,
    )
    expect((await get(`/intents?${asked}&status=pending`)).body.code).toBe('INVALID_REQUEST')
    const { errors } = await graphql(
      `query ($asOf: [AsOfBlock!]) { intents(asOf: $asOf, where: { feeBps: { eq: 250 } }) { totalCount } }`,
      { asOf: toGraphqlMoment(moment) },
    )
    expect(errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT')
  })
})

describe('events as of a block', () => {
  test('equal a replay’s, over REST and GraphQL', async () => {
    for (const { moment, past } of pasts.slice(0, 3)) {
      const stored = past.intents.at(-1)!
      const id = String(stored.source.intentId)
      const rest = await get(`/intents/${id}/events?asOfBlock=${toRestMoment(moment)}`)
      expect(rest.body.events).toHaveLength(stored.events!.length)
      const { data } = await graphql(
        `query ($asOf: [AsOfBlock!], $id: BigInt) { events(first: 1000, asOf: $asOf, where: { intentId: $id }) {
           nodes { type intent { status } } } }`,
        { asOf: toGraphqlMoment(moment), id },
      )
      expect(data.events.nodes).toHaveLength(stored.events!.length)
      for (const { intent } of data.events.nodes) {
        expect(intent.status).toBe(statusOf(stored, past))
      }
    }
  })
})

describe('a request for a state that can’t be read', () => {
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
    ['asOfBlock=base_sepolia:200&orderBy=fee', 400, 'INVALID_REQUEST'],
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
      'intents(orderBy: { field: settledAt }, asOf: { chainId: "84532", block: 200 }) { nodes { id } }',
      'BAD_USER_INPUT',
    ],
  ])('%s', async (field, code) => {
    const { errors } = await graphql(`{ ${field} }`)
    expect(errors?.[0]?.extensions.code).toBe(code)
  })

  test('is never answered as a server error', () => {
    expect(rig.problems).toEqual([])
  })
})

async function everyPage(path: string): Promise<IntentRecord[]> {
  const records: IntentRecord[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await get(cursor === '' ? path : `${path}&cursor=${cursor}`)
    expect(body.success, JSON.stringify(body)).toBe(true)
    records.push(...body.intents)
    cursor = body.nextCursor
  }
  return records
}

describeOrdersAsOf(() => ({ databaseUrl: rig.databaseUrl, pasts, get, graphql, asOfOf }))
