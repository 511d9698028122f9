import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type SeededApi, startSeededApi } from '../../integration/rest/seededApi.ts'

let api: SeededApi
let someId: string

beforeAll(async () => {
  api = await startSeededApi({ intents: 60 })
  someId = (await api.get('/intents?limit=1')).body.intents[0].intentId
})

afterAll(async () => {
  // After each attack, the service has no internal errors and unchanged data.
  expect(api.failures).toEqual([])
  expect((await api.get(`/intent-details/${someId}`)).status).toBe(200)
  await api?.stop()
})

/** Words that would reveal internals. */
const INSIDE =
  /select |insert |cairn_\d|cairn\.|app\.|postgres|kysely|zod|node_modules|\.ts\b|\bat [\w.<>]+ \(|stack|syntax error|relation|ECONN/i

function expectHarmless(answer: { status: number; text: string; body: unknown }, tried: string) {
  expect([200, 304, 400, 404, 405, 413, 415], tried).toContain(answer.status)
  if (answer.status < 400) return
  expect(answer.body, tried).toMatchObject({
    success: false,
    error: expect.any(String),
    code: expect.stringMatching(/^[A-Z_]+$/),
    requestId: expect.any(String),
  })
  const { error } = answer.body as { error: string }
  expect(error, tried).not.toMatch(INSIDE)
}

const HOSTILE = [
  "' or '1'='1",
  "1'; drop table cairn.intent; --",
  '1) union select null, current_user --',
  '1; select pg_sleep(10)',
  '$1',
  '\\',
  '%',
  '_',
  '"',
  '`',
  '\u0000',
  '\ud800',
  '\u202e1',
  '１２３',
  '😀'.repeat(50),
  '-1',
  '0',
  '1e400',
  'NaN',
  'Infinity',
  '-0',
  '0x',
  '0xg',
  '9'.repeat(78),
  '9'.repeat(5_000),
  String(2n ** 63n),
  String(2n ** 256n),
  'null',
  'undefined',
  'true',
  '[]',
  '{}',
  '[object Object]',
  '__proto__',
  'constructor',
  'toString',
  '../../etc/passwd',
  '..%2f..%2fetc%2fpasswd',
  '<script>alert(1)</script>',
  '$' + '{7*7}',
  '{{7*7}}',
  '',
  ' ',
  '\r\nx-injected: 1',
]

const PARAMETERS: Record<string, string[]> = {
  '/intents': (
    'status sourceChainId destChainId sender solver tokenA tokenB createdAfter createdBefore updatedAfter ' +
    'updatedBefore endsAfter endsBefore minAmountA maxAmountA minReward maxReward settledAfter settledBefore minFee maxFee orderBy direction limit cursor total'
  ).split(' '),
  '/batches': ['sourceChainId', 'destChainId', 'tokenA', 'tokenB'],
  '/quote': ['sourceChain', 'destChain', 'tokenA', 'tokenB', 'amountA', 'reward', 'shielded'],
  '/intent-details': ['txHash', 'sourceChainId'],
  '/intent-details/1': ['sourceChainId'],
  '/intents/1/events': ['sourceChainId', 'direction', 'limit', 'cursor'],
}

describe.each(Object.entries(PARAMETERS))('%s', (path, names) => {
  test.each(names)('%s refuses hostile values', async (name) => {
    for (const value of HOSTILE) {
      const query = `${encodeURIComponent(name)}=${encodeURIComponent(wellFormed(value))}`
      expectHarmless(await api.get(`${path}?${query}`), query)
    }
  })

  test('GET refuses repeated parameters, brackets and names of object properties', async () => {
    const [name] = names
    const queries = [
      `${name}=1&${name}=2`,
      `${name}[]=1`,
      `${name}[$ne]=1`,
      '__proto__=1',
      '__proto__[x]=1',
      'constructor.prototype=1',
      '&&&x',
      '%=1',
      '%ff=%ff',
    ]
    for (const query of queries) {
      const answer = await api.get(`${path}?${query}`)
      expectHarmless(answer, query)
      expect(answer.status, query).toBe(400)
    }
    expect(({} as Record<string, unknown>).x).toBe(undefined)
  })
})

function wellFormed(text: string): string {
  return text.toWellFormed()
}

test('GET refuses hostile ids in the path', async () => {
  for (const value of HOSTILE) {
    const part = encodeURIComponent(wellFormed(value))
    for (const path of [
      `/intent-details/${part}`,
      `/intents/${part}/events`,
      `/v1/intent-details/${part}`,
    ]) {
      expectHarmless(await api.get(path), path)
    }
  }
})

test('paths that imitate a route are refused', async () => {
  const paths = [
    '/docs/../package.json',
    '/docs/%2e%2e/package.json',
    '/docs/..%2f..%2fpackage.json',
    '/docs/swagger-ui-bundle.js.map',
    '/docs/package.json',
    '/%00',
    '/%',
    '/%ff',
    '//intents',
    '/intents//events',
    '/v1/v1/intents',
    '/.env',
    '/.git/config',
    '/INTENTS',
    `/${'a'.repeat(8_000)}`,
    `/intents?${'a=b&'.repeat(3_000)}`,
  ]
  for (const path of paths) {
    const answer = await raw(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
    expect(answer.status, path.slice(0, 60)).toBeGreaterThanOrEqual(400)
    expect([400, 404], path.slice(0, 60)).toContain(answer.status)
    expect(answer.body, path.slice(0, 60)).toMatchObject({ success: false })
  }
})

describe('request bodies', () => {
  const good = () => ({ intentId: someId, network: 'base_sepolia' })

  test('a body larger than the limit gets 413, with or without Content-Length', async () => {
    const large = JSON.stringify({ ...good(), network: 'x'.repeat(70_000) })
    const reported = await api.post('/verify', large)
    expect([reported.status, reported.body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    const chunks = `${(40_000).toString(16)}\r\n${'x'.repeat(40_000)}\r\n`.repeat(2)
    const untold = await raw(
      `POST /verify HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${chunks}0\r\n\r\n`,
    )
    expect([untold.status, untold.body?.code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    const unknown = await api.post('/store-recipients', large)
    expect(unknown.status).toBe(413)
  })

  test('a body that isn’t JSON, isn’t an object or has the wrong shape gets 400', async () => {
    const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`
    const bodies = [
      '',
      '{',
      'null',
      '1',
      '"x"',
      '[]',
      deep,
      `{"a":${deep}}`,
      '{"intentId": 1e999, "network": "base_sepolia"}',
      '{"intentId": ["1"], "network": "base_sepolia"}',
      '{"intentId": {"$ne": null}, "network": "base_sepolia"}',
      `{"intentId": "${someId}", "network": "base_sepolia", "__proto__": {"admin": true}}`,
      `{"intentId": "${someId}", "network": "base_sepolia", "constructor": {"prototype": {}}}`,
      `{"intentId": "${someId}", "network": "__proto__"}`,
      `{"intentId": "${someId}", "network": "toString"}`,
      `{"intentId": "${someId}", "network": null}`,
      '\ufeff{}',
    ]
    for (const body of bodies) {
      const answer = await api.post('/verify', body)
      expectHarmless(answer, body.slice(0, 80))
      expect(answer.status, body.slice(0, 80)).toBe(400)
    }
    expect(({} as Record<string, unknown>).admin).toBe(undefined)
  })

  test('a body with another content type isn’t read', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'application/jsonx',
      '',
    ]) {
      const answer = await api.post('/verify', good(), { 'content-type': type })
      expect([type, answer.status]).toEqual([type, 415])
      expectHarmless(answer, type)
    }
    expect(
      (await api.post('/verify', good(), { 'content-type': 'Application/JSON; charset=utf-8' }))
        .status,
    ).toBe(200)
  })
})

describe('malformed HTTP', () => {
  test.each([
    ['too many headers', `GET /health HTTP/1.1\r\nHost: a\r\n${'x-y: z\r\n'.repeat(5_000)}\r\n`],
    ['a huge header', `GET /health HTTP/1.1\r\nHost: a\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`],
    ['no host', 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['a strange host', 'GET /health HTTP/1.1\r\nHost: a b<>\r\nConnection: close\r\n\r\n'],
    ['an unknown method', 'STEAL /health HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['another protocol', 'hello\r\n\r\n'],
    [
      'two lengths',
      'POST /verify HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    ],
    [
      'length and chunks',
      'POST /verify HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a negative length', 'POST /verify HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n'],
    [
      'an expectation',
      'POST /verify HTTP/1.1\r\nHost: a\r\nExpect: riches\r\nContent-Length: 0\r\n\r\n',
    ],
    [
      'a method that fetch forbids',
      'TRACE /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    ],
  ])('%s gets 4xx in the usual error shape', async (_name, request) => {
    const answer = await raw(request)
    expect([400, 404, 405]).toContain(answer.status)
    expect(answer.body).toMatchObject({ success: false, code: expect.any(String) })
    expect(answer.text).not.toMatch(INSIDE)
  })

  test('an address that is too long is told so', async () => {
    const answer = await raw(`GET /graphql?query=${'a'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`)
    expect([answer.status, answer.text]).toEqual([
      400,
      expect.stringContaining('larger than 16 KiB'),
    ])
  })

  test('hostile headers change nothing', async () => {
    const headers = {
      'if-none-match': '"'.repeat(5_000),
      'x-request-id': "'; drop table x; --",
      'x-forwarded-for': "' or 1=1, ::1, 999.999.999.999",
      accept: '*/*;q=NaN',
      origin: 'null',
      cookie: '__proto__=1',
    }
    const answer = await api.get(`/intent-details/${someId}`, headers)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })
})

type RawAnswer = { status: number; text: string; body: { code?: string } | null }

/** Sends exactly these bytes over a socket and reads the first answer. */
function raw(request: string): Promise<RawAnswer> {
  const { hostname, port } = new URL(api.url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(request))
    let text = ''
    socket.setEncoding('utf8')
    socket.on('data', (data) => {
      text += data
      const [head = '', body = ''] = splitOnce(text, '\r\n\r\n')
      const length = /content-length: (\d+)/i.exec(head)?.[1]
      if (length !== undefined && Buffer.byteLength(body) >= Number(length)) socket.destroy()
    })
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // The server may close a refused connection while the client still sends.
      if (text === '') reject(error)
    })
    socket.on('close', () => {
      const [head = '', body = ''] = splitOnce(text, '\r\n\r\n')
      const json = /application\/json/i.test(head) && body !== ''
      const status = Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0)
      resolve({
        status,
        text,
        body: json ? JSON.parse(body.replace(/^[0-9a-f]+\r\n|\r\n0\r\n\r\n$/g, '')) : null,
      })
    })
  })
}

function splitOnce(text: string, by: string): [string, string] {
  const at = text.indexOf(by)
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + by.length)]
}
