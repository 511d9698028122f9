import { sql } from 'kysely'
import { getAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { intentSchema } from '../../../api/rest/intents/intentSchema.ts'
import { startApi } from '../../../api/rest/startApi.ts'
import { STATUSES } from '../../../core/intent/status.ts'
import { describeQuotes } from './describeQuotes.ts'
import { BASE, chainConfig, HORIZEN, type SeededApi, startSeededApi } from './seededApi.ts'

let api: SeededApi

beforeAll(async () => {
  api = await startSeededApi({ intents: 3_000 })
})
afterAll(async () => {
  await api?.stop()
})

type Row = Record<string, unknown>

async function oneOf(phase: string, more = 'true'): Promise<Row> {
  const { rows } = await sql<Row>`select *, (select solve_tx_hash from cairn.delivery d
      where d.chain2_intent_id = intent.chain2_intent_id) as solve_tx_hash
    from cairn.intent where phase = ${phase} and ${sql.raw(more)} order by intent_id limit 1`.execute(
    api.database.db,
  )
  return rows[0]!
}

const iso = (seconds: unknown) => new Date(Number(seconds) * 1_000).toISOString()

describe('GET /intent-details/:intentId', () => {
  test('a completed intent has all fields of the specification', async () => {
    const row = await oneOf('completed')
    const { status, body, headers } = await api.get(`/intent-details/${row.intent_id}`)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/json')
    expect(body.success).toBe(true)
    expect(intentSchema.strict().parse(body.intent)).toEqual(body.intent)
    expect(body.intent).toMatchObject({
      intentId: String(row.intent_id),
      sourceChainId: String(row.source_chain_id),
      destChainId: String(row.dest_chain_id),
      solverAddress: getAddress(row.solver as string),
      depositTxHash: row.deposit_tx_hash,
      solveTxHash: row.solve_tx_hash,
      settleTxHash: row.settle_tx_hash,
      status: 'completed',
      substatus: 'solver_paid',
      isTerminal: true,
      timestamp: iso(row.created_at),
      settledAt: iso(row.settled_at),
      createTxHash: row.create_tx_hash,
      sender: getAddress(row.sender as string),
      amountA: String(row.amount_a),
      bids: { count: row.bid_count, best: { solver: getAddress(row.best_bidder as string) } },
      refund: null,
      finality: 'finalized',
    })
    const types = body.intent.timeline.map((entry: { type: string }) => entry.type)
    expect(types).toEqual([
      'IntentCreated',
      'IntentAnchored',
      'BidPlaced',
      'SolverDeposited',
      'IntentSolved',
      'IntentSettled',
    ])
  })

  test('hashes of what hasn’t happened are null', async () => {
    const row = await oneOf('cancelled')
    const { body } = await api.get(`/intent-details/${row.intent_id}`)
    expect(body.intent).toMatchObject({
      status: 'cancelled',
      solverAddress: null,
      depositTxHash: null,
      solveTxHash: null,
      settleTxHash: null,
      settledAt: null,
      refund: {
        status: 'done',
        amount: String((row.amount_a as bigint) + (row.reward as bigint)),
        txHash: row.cancel_tx_hash,
        at: iso(row.cancelled_at),
      },
    })
  })

  test('an auction without bids expires by time alone, and its refund is due', async () => {
    const row = await oneOf('open', 'end_time < 1789900000')
    const { body } = await api.get(`/intent-details/${row.intent_id}`)
    expect(body.intent).toMatchObject({
      status: 'expired',
      substatus: 'no_bids',
      isTerminal: false,
      refund: { status: 'due', claimableAt: iso(row.end_time), txHash: null, at: null },
    })
    expect(body.intent.timeline.at(-1)).toMatchObject({ type: 'AuctionExpired', txHash: null })
  })

  test('the id is accepted in hex, with its chain, and under /v1', async () => {
    const row = await oneOf('completed')
    const id = row.intent_id as bigint
    const plain = await api.get(`/intent-details/${id}`)
    const same = [
      `/intent-details/0x${id.toString(16)}`,
      `/intent-details/0x${id.toString(16).toUpperCase()}`,
      `/v1/intent-details/${id}`,
      `/intent-details/${id}?sourceChainId=${row.source_chain_id}`,
    ]
    for (const path of same) expect((await api.get(path)).text, path).toBe(plain.text)
    const elsewhere = row.source_chain_id === BASE ? HORIZEN : BASE
    const other = await api.get(`/intent-details/${id}?sourceChainId=${elsewhere}`)
    expect([other.status, other.body.code]).toEqual([404, 'INTENT_NOT_FOUND'])
  })

  test('a poller gets an empty 304 if nothing changed', async () => {
    const row = await oneOf('completed')
    const path = `/intent-details/${row.intent_id}`
    const { headers } = await api.get(path)
    const etag = headers.get('etag')!
    const again = await api.get(path, { 'if-none-match': etag })
    expect([again.status, again.text]).toEqual([304, ''])
    expect(again.headers.get('cache-control')).toBe('public, no-cache')
  })

  test('an unknown id is 404 with the usual error body', async () => {
    const { status, body, headers } = await api.get(
      `/intent-details/${(BigInt(BASE) << 64n) + 9_999_999n}`,
    )
    expect(status).toBe(404)
    expect(body).toEqual({
      success: false,
      error: expect.any(String),
      code: 'INTENT_NOT_FOUND',
      requestId: headers.get('x-request-id'),
    })
    expect(headers.get('cache-control')).toBe('no-store')
  })

  test('an id without its chain, as in a page’s “Intent #17”, is refused with what to give instead', async () => {
    const { status, body } = await api.get('/intent-details/17')
    expect([status, body.code]).toEqual([404, 'INTENT_NOT_FOUND'])
    expect(body.error).toContain('give the whole one, which includes its chain')
  })

  test('an id that exists on two chains needs its chain', async () => {
    const row = await oneOf('completed', `source_chain_id = ${BASE}`)
    const columns = Object.keys(row).filter(
      (name) => name !== 'source_chain_id' && name !== 'solve_tx_hash',
    )
    await sql`insert into cairn_2651420_seeded.intent (source_chain_id, ${sql.raw(columns.join(', '))})
      select ${HORIZEN}, ${sql.raw(columns.join(', '))} from cairn_84532_seeded.intent
      where intent_id = ${String(row.intent_id)}::numeric`.execute(api.database.db)
    // Seeded tables have no triggers: a cached record could not know. This one was never asked for.
    const path = `/intent-details/0x${(row.intent_id as bigint).toString(16)}`
    await sql`select pg_notify('cairn_projection', 'views')`.execute(api.database.db)
    const ambiguous = await until(
      () => api.get(path),
      ({ status }) => status === 400,
    )
    expect(ambiguous.body).toMatchObject({
      code: 'AMBIGUOUS_INTENT_ID',
      details: { candidates: [String(BASE), String(HORIZEN)] },
    })
    const chosen = await api.get(`${path}?sourceChainId=horizen_testnet`)
    expect(chosen.body.intent.sourceChainId).toBe(String(HORIZEN))
    await sql`delete from cairn_2651420_seeded.intent where intent_id = ${String(row.intent_id)}::numeric`.execute(
      api.database.db,
    )
    await sql`select pg_notify('cairn_projection', 'views')`.execute(api.database.db)
    await until(
      () => api.get(path),
      ({ status }) => status === 200,
    )
  })
})

/** Asks again until a notification has arrived. */
async function until<Value>(
  ask: () => Promise<Value>,
  done: (value: Value) => boolean,
): Promise<Value> {
  for (;;) {
    const value = await ask()
    if (done(value)) return value
  }
}

describe('GET /intent-details?txHash=', () => {
  test('any of its hashes finds the intent', async () => {
    const row = await oneOf('completed')
    const { rows: bids } = await sql<Row>`select bid_tx_hash from cairn.bid
      where intent_id = ${String(row.intent_id)}::numeric limit 1`.execute(api.database.db)
    const hashes = [
      row.create_tx_hash,
      row.anchor_tx_hash,
      bids[0]!.bid_tx_hash,
      row.deposit_tx_hash,
      row.solve_tx_hash,
      row.settle_tx_hash,
      (row.settle_tx_hash as string).toUpperCase(),
    ]
    for (const hash of hashes) {
      const { body } = await api.get(`/intent-details?txHash=${hash}`)
      expect(body.intent?.intentId).toBe(String(row.intent_id))
    }
    const refunded = await oneOf('failed')
    const { body } = await api.get(`/intent-details?txHash=${refunded.refund_tx_hash}`)
    expect(body.intent.refund.txHash).toBe(refunded.refund_tx_hash)
  })

  test('an unknown hash is 404, a missing one 400', async () => {
    const unknown = await api.get(`/intent-details?txHash=0x${'0'.repeat(64)}`)
    expect([unknown.status, unknown.body.code]).toEqual([404, 'INTENT_NOT_FOUND'])
    const none = await api.get('/intent-details')
    expect([none.status, none.body.code]).toEqual([400, 'INVALID_REQUEST'])
  })
})

describe('POST /verify', () => {
  test('reports per chain whether its part is done', async () => {
    const settled = await oneOf(
      'deposited',
      'exists (select 1 from cairn.delivery d where d.intent_id = intent.intent_id)',
    )
    const completed = await oneOf('completed')
    const open = await oneOf('cancelled')
    const names = new Map([
      [BASE, 'base_sepolia'],
      [HORIZEN, 'horizen_testnet'],
    ])
    const ask = async (row: Row, network: string | undefined) => {
      const body = { intentId: String(row.intent_id), network, sourceChainId: row.source_chain_id }
      return (await api.post('/verify', body)).body
    }
    const destination = (row: Row) => names.get(row.dest_chain_id as number)
    const source = (row: Row) => names.get(row.source_chain_id as number)
    expect(await ask(completed, destination(completed))).toEqual({
      success: true,
      intentId: String(completed.intent_id),
      network: destination(completed),
      solved: true,
    })
    expect((await ask(completed, source(completed))).solved).toBe(true)
    expect((await ask(settled, destination(settled))).solved).toBe(true)
    expect((await ask(settled, source(settled))).solved).toBe(false)
    expect((await ask(open, destination(open))).solved).toBe(false)
    expect((await ask(completed, 'polygon_mainnet')).solved).toBe(false)
  })

  test.each([
    [null],
    [''],
    [1.5],
    ['atlantis'],
  ])('says what sourceChainId should be instead of %j', async (sourceChainId) => {
    const body = { intentId: '1', network: 'base_sepolia', sourceChainId }
    expect((await api.post('/verify', body)).body.error).toBe(
      'invalid body: sourceChainId: expected a chain id or a chain name, as GET /chains lists them',
    )
  })

  test('refuses a destination that isn’t configured, even if it was once indexed', async () => {
    const row = await oneOf('completed', `source_chain_id = ${BASE} and dest_chain_id = ${HORIZEN}`)
    const { databaseUrl } = api.postgres
    const chains = [chainConfig('base_sepolia', BASE)]
    const baseOnly = await startApi({ databaseUrl, chains, host: '127.0.0.1', port: 0 })
    const ask = async (network: string) => {
      const answer = await fetch(`${baseOnly.url}/verify`, {
        method: 'POST',
        body: JSON.stringify({ intentId: String(row.intent_id), network }),
        headers: { 'content-type': 'application/json' },
      })
      return [answer.status, await answer.json()]
    }
    try {
      expect(await ask('horizen_testnet')).toMatchObject([400, { code: 'UNSUPPORTED_CHAIN' }])
      expect(await ask('base_sepolia')).toMatchObject([200, { solved: true }])
    } finally {
      await baseOnly.stop()
    }
  })

  test.each([
    ['no intent', { network: 'base_sepolia' }, 400, 'INVALID_REQUEST'],
    [
      'an unknown field',
      { intentId: '1', network: 'base_sepolia', extra: 1 },
      400,
      'INVALID_REQUEST',
    ],
    ['an id as a number', { intentId: 1, network: 'base_sepolia' }, 400, 'INVALID_REQUEST'],
    ['an unknown network', { intentId: '1', network: 'atlantis' }, 400, 'UNSUPPORTED_CHAIN'],
    ['an unknown intent', { intentId: '1', network: 'base_sepolia' }, 404, 'INTENT_NOT_FOUND'],
    ['no JSON', '{', 400, 'INVALID_JSON'],
  ])('%s', async (_name, body, status, code) => {
    const answer = await api.post('/verify', body)
    expect([answer.status, answer.body.code]).toEqual([status, code])
  })
})

describe('GET /intents', () => {
  test('lists the newest first, 50 by default', async () => {
    const { body } = await api.get('/intents')
    expect(body.intents.length).toBe(50)
    expect(body.nextCursor).toEqual(expect.any(String))
    const times = body.intents.map((intent: { timestamp: string }) => intent.timestamp)
    expect(times).toEqual(times.toSorted().reverse())
    for (const intent of body.intents) intentSchema.strict().parse(intent)
  })

  test('each record equals the one read by id', async () => {
    const { body } = await api.get('/intents?limit=20&direction=asc')
    for (const intent of body.intents) {
      expect((await api.get(`/intent-details/${intent.intentId}`)).body.intent).toEqual(intent)
    }
  })

  test.each(STATUSES)('status %s: lists and counts exactly these', async (status) => {
    const { body } = await api.get(`/intents?status=${status}&limit=200&total=true`)
    expect(body.intents.length).toBeGreaterThan(0)
    expect(body.intents.every((intent: { status: string }) => intent.status === status)).toBe(true)
    expect(body.total).toBe(await walk(`/intents?status=${status}&limit=200`))
  })

  test('lists the refunds that are due', async () => {
    const all: { intentId: string; refund: { status: string } | null }[] = []
    for (let cursor = ''; ; ) {
      const { body } = await api.get(`/intents?limit=200${cursor}`)
      all.push(...body.intents)
      if (body.nextCursor === null) break
      cursor = `&cursor=${body.nextCursor}`
    }
    for (const word of ['due', 'waiting', 'done']) {
      const having = all.filter(({ refund }) => refund?.status === word)
      const { body } = await api.get(`/intents?refundStatus=${word}&limit=200&total=true`)
      const ids = body.intents.map(({ intentId }: { intentId: string }) => intentId)
      expect([word, body.total]).toEqual([word, having.length])
      expect(ids).toEqual(having.slice(0, 200).map(({ intentId }) => intentId))
    }
    expect(all.some(({ refund }) => refund?.status === 'due')).toBe(true)
    expect((await api.get('/intents?refundStatus=soon')).status).toBe(400)
  })

  test('the statuses partition all intents', async () => {
    const total = async (query: string) =>
      (await api.get(`/intents?limit=1&total=true${query}`)).body.total
    const parts = await Promise.all(STATUSES.map((status) => total(`&status=${status}`)))
    expect(parts.reduce((sum, part) => sum + part, 0)).toBe(3_000)
    expect(await total('')).toBe(3_000)
    expect(await total('&status=pending,solving')).toBe(parts[0] + parts[1])
  })

  test('filters select the matching rows', async () => {
    const row = await oneOf('completed')
    const filters: [string, string][] = [
      [`sourceChainId=${BASE}`, `source_chain_id = ${BASE}`],
      ['destChainId=base_sepolia', `dest_chain_id = ${BASE}`],
      [`sender=${getAddress(row.sender as string)}`, `sender = '${row.sender}'`],
      [`solver=${row.solver}`, `solver = '${row.solver}'`],
      [`tokenA=${row.token_a}`, `token_a = '${row.token_a}'`],
      [`tokenB=${row.token_b}`, `token_b = '${row.token_b}'`],
      [`createdAfter=${row.created_at}`, `created_at >= ${row.created_at}`],
      [`createdBefore=${iso(row.created_at)}`, `created_at <= ${row.created_at}`],
      [`minAmountA=${row.amount_a}`, `amount_a >= ${row.amount_a}`],
      [`maxReward=${row.reward}`, `reward <= ${row.reward}`],
      [`endsAfter=${row.end_time}`, `end_time >= ${row.end_time}`],
      [`updatedBefore=${row.updated_at}`, `updated_at <= ${row.updated_at}`],
    ]
    for (const [query, condition] of filters) {
      const { rows } = await sql<{ count: number }>`select count(*) from cairn.intent
        where ${sql.raw(condition)}`.execute(api.database.db)
      const { body } = await api.get(`/intents?limit=1&total=true&${query}`)
      expect(body.total, query).toBe(rows[0]!.count)
      expect(body.total).toBeGreaterThan(0)
      expect(body.intents.length).toBe(1)
    }
  })

  test.each([
    ['limit=0'],
    ['limit=201'],
    ['limit=-1'],
    ['status=done'],
    ['status='],
    ['orderBy=sender'],
    ['colour=red'],
    ['sender=0x12'],
    ['limit=1&limit=2'],
    ['createdAfter=yesterday'],
  ])('refuses %s', async (query) => {
    const { status, body } = await api.get(`/intents?${query}`)
    expect([status, body.code]).toEqual([400, 'INVALID_REQUEST'])
    expect(body.details[0].path.split('.')[0]).toBe(query.split('=')[0])
  })

  test('refuses a cursor that is damaged or from another order', async () => {
    const { body } = await api.get('/intents?limit=1')
    const good = body.nextCursor as string
    const damaged = good.slice(0, -1) + (good.endsWith('A') ? 'B' : 'A')
    for (const query of [
      `cursor=${damaged}`,
      `cursor=${good}&orderBy=reward`,
      `cursor=${good}&direction=asc`,
    ]) {
      const answer = await api.get(`/intents?${query}`)
      expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_CURSOR'])
    }
    expect((await api.get(`/intents?cursor=${good}`)).status).toBe(200)
  })

  async function walk(path: string): Promise<number> {
    const seen = new Set<string>()
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await api.get(`${path}${cursor === '' ? '' : `&cursor=${cursor}`}`)
      for (const intent of body.intents) {
        expect(seen.has(intent.intentId)).toBe(false)
        seen.add(intent.intentId)
      }
      cursor = body.nextCursor
    }
    return seen.size
  }
})

describe('GET /intents/:id/events', () => {
  test('pages through the events of both chains by time', async () => {
    const row = await oneOf('completed', 'bid_count = 3')
    const path = `/intents/${row.intent_id}/events`
    const { body } = await api.get(path)
    const types = body.events.map((event: { type: string }) => event.type)
    expect(types).toEqual([
      'IntentCreated',
      'IntentAnchored',
      'BidPlaced',
      'BidPlaced',
      'BidPlaced',
      'SolverDeposited',
      'IntentSolved',
      'IntentSettled',
    ])
    expect(body.events[0]).toMatchObject({
      chainId: String(row.source_chain_id),
      timestamp: iso(row.created_at),
      transactionHash: row.create_tx_hash,
      args: { user: getAddress(row.sender as string), amountA: String(row.amount_a) },
    })
    expect(body.events[6].chainId).toBe(String(row.dest_chain_id))
    expect(body.nextCursor).toBe(null)

    const first = await api.get(`${path}?limit=5`)
    const second = await api.get(`${path}?limit=5&cursor=${first.body.nextCursor}`)
    expect([...first.body.events, ...second.body.events]).toEqual(body.events)
    const backwards = await api.get(`${path}?direction=desc`)
    expect(backwards.body.events).toEqual(body.events.toReversed())
  })

  test('is 404 for an unknown intent', async () => {
    expect((await api.get('/intents/1/events')).body.code).toBe('INTENT_NOT_FOUND')
  })
})

describe('GET /batches', () => {
  test('sums open auctions without naming anyone', async () => {
    const { body } = await api.get('/batches')
    expect(body.batches.length).toBeGreaterThan(0)
    for (const batch of body.batches) {
      const { body: listed } = await api.get(`${batch.intents}&limit=200`)
      const now = Date.parse(iso(1_790_000_000))
      const open = listed.intents
      expect(open.every((one: { endTime: string }) => Date.parse(one.endTime) > now)).toBe(true)
      const sum = (field: string) =>
        open.reduce((total: bigint, one: Record<string, string>) => total + BigInt(one[field]!), 0n)
      expect(batch.count).toBe(open.length)
      expect(batch.totalAmount).toBe(String(sum('amountA')))
      expect(batch.totalExpectedAmount).toBe(String(sum('expectedAmountB')))
      expect(batch.fees).toBe(String(sum('reward')))
      const { numerator, denominator } = batch.rate
      expect(BigInt(numerator) * sum('amountA')).toBe(BigInt(denominator) * sum('expectedAmountB'))
    }
    const { rows } = await sql<{
      sender: string
    }>`select distinct sender from cairn.intent`.execute(api.database.db)
    const text = JSON.stringify(body).toLowerCase()
    for (const { sender } of rows) expect(text).not.toContain(sender.slice(2))
  })

  test('filters by chain and token', async () => {
    const { body } = await api.get('/batches')
    const one = body.batches[0]
    const query = `sourceChainId=${one.sourceChainId}&destChainId=${one.destChainId}&tokenA=${one.tokenA}&tokenB=${one.tokenB}`
    expect((await api.get(`/batches?${query}`)).body.batches).toEqual([one])
  })
})

describeQuotes(() => api)

describe('GET /state-hash', () => {
  test('is null until the rows were counted, then one hash per chain at its head', async () => {
    const before = await api.get('/state-hash')
    expect(before.body.chains).toMatchObject([
      { chainId: '84532', chain: 'base_sepolia', stateHash: null, rows: null },
      { chainId: '2651420', chain: 'horizen_testnet', stateHash: null, rows: null },
    ])
    const client = await api.postgres.connect()
    const { rows } = await client.query('select schema_name from app.projection order by chain_id')
    for (const { schema_name: schema } of rows) {
      await client.query('select app.install_state_triggers($1)', [schema])
      await client.query('select app.measure_state($1)', [schema])
    }
    const { chains } = (await api.get('/state-hash')).body
    const health = (await api.get('/health')).body
    for (const [index, chain] of chains.entries()) {
      expect(chain.blockNumber).toBe(health.chains[index].indexed)
      expect(chain.stateHash).toMatch(/^0x[0-9a-f]{64}$/)
      expect(chain.rows).toMatchObject({ bridge: 1, bridge_destination: 1 })
    }
    expect(chains[0].stateHash).not.toBe(chains[1].stateHash)
  })
})

describe('the server', () => {
  test('links to its endpoints', async () => {
    expect((await api.get('/')).body.places).toHaveProperty('/health')
  })

  test('documents each endpoint from its validation schemas', async () => {
    const { body } = await api.get('/openapi.json')
    expect(body.openapi).toBe('3.1.0')
    expect(Object.keys(body.paths).sort()).toEqual([
      '/batches',
      '/chains',
      '/health',
      '/intent-details',
      '/intent-details/{intentId}',
      '/intents',
      '/intents/{id}/events',
      '/order-details',
      '/order-details/{orderId}',
      '/quote',
      '/ready',
      '/solvers/{address}',
      '/state-hash',
      '/tokens',
      '/verify',
    ])
    const names = body.paths['/intents'].get.parameters.map((one: { name: string }) => one.name)
    expect(names).toContain('createdAfter')
    expect(body.paths['/verify'].post.responses).toHaveProperty('413')
    expect(body.paths['/intents'].get.responses).not.toHaveProperty('413')
    expect(body.components.schemas.Intent.properties).toHaveProperty('solveTxHash')
  })

  test('serves the documentation page without third-party resources', async () => {
    const page = await api.get('/docs')
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'")
    const links = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!)
    expect(links.length).toBeGreaterThan(2)
    for (const link of links) {
      expect(link).not.toContain('//')
      const asset = await api.get(`/${link}`)
      expect([link, asset.status]).toEqual([link, 200])
      expect(asset.text.length).toBeGreaterThan(50)
    }
    expect((await api.get('/docs/swagger-ui.css')).headers.get('content-type')).toContain(
      'text/css',
    )
  })

  test('counts requests by endpoint, never by path', async () => {
    await api.get('/intent-details/123')
    const { text } = await api.get('/metrics')
    expect(text).toMatch(
      /cairn_http_request_duration_seconds_count\{route="\/intent-details\/\{intentId\}",method="GET",status="404"\} \d/,
    )
    expect(text).not.toContain('/intent-details/123')
    expect(text).toMatch(/cairn_cache_misses_total [1-9]/)
    expect(text).toMatch(/cairn_chain_indexed_block\{chain="base_sepolia"\} \d+/)
  })

  test('answers unknown paths with 404 and other methods with 405 and Allow', async () => {
    for (const [path, method, status, code, allow] of [
      ['/nowhere', 'GET', 404, 'NOT_FOUND', null],
      ['/intents/1/2/3', 'DELETE', 404, 'NOT_FOUND', null],
      ['/intents', 'DELETE', 405, 'METHOD_NOT_ALLOWED', 'GET, HEAD, OPTIONS'],
      ['/v1/intents/', 'PUT', 405, 'METHOD_NOT_ALLOWED', 'GET, HEAD, OPTIONS'],
      ['/verify', 'GET', 405, 'METHOD_NOT_ALLOWED', 'OPTIONS, POST'],
      ['/intents/1/events', 'POST', 405, 'METHOD_NOT_ALLOWED', 'GET, HEAD, OPTIONS'],
      ['/metrics', 'POST', 405, 'METHOD_NOT_ALLOWED', 'GET, HEAD, OPTIONS'],
    ] as const) {
      const response = await fetch(`${api.url}${path}`, { method })
      expect([response.status, response.headers.get('allow')], path).toEqual([status, allow])
      expect(await response.json()).toMatchObject({ success: false, code })
    }
  })

  test('ignores a trailing slash and the version prefix', async () => {
    const { text } = await api.get('/intents?limit=2')
    for (const path of ['/intents/?limit=2', '/v1/intents?limit=2', '/v1/intents/?limit=2'])
      expect((await api.get(path)).text).toBe(text)
    expect((await api.get('/v1/')).status).toBe(200)
    const page = await fetch(`${api.url}/v1/docs/`, { redirect: 'manual' })
    expect([page.status, page.headers.get('location')]).toEqual([308, '../docs'])
    expect((await fetch(`${api.url}/docs/`)).url).toBe(`${api.url}/docs`)
  })

  test('answers another content type with 415, invalid JSON with 400', async () => {
    const body = '{"intentId":"1","network":"base_sepolia"}'
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp']) {
      const answer = await api.post('/verify', body, { 'content-type': type })
      expect([answer.status, answer.body.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
    }
    const answer = await api.post('/verify', '{', { 'content-type': 'application/json' })
    expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_JSON'])
  })

  test('allows reads from any origin, but of /metrics, which is private', async () => {
    const { headers } = await api.get('/health', { origin: 'https://app.example' })
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    const metrics = await api.get('/metrics', { origin: 'https://app.example' })
    expect(metrics.headers.get('access-control-allow-origin')).toBe(null)
    const preflight = await fetch(`${api.url}/verify`, {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
    })
    expect(preflight.status).toBe(204)
  })
})
