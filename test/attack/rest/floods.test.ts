import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SeededApi, startSeededApi } from '../../integration/rest/seededApi.ts'

/** Refills so slowly that a slow test gains no token. */
const LIMITS = {
  reads: { perSecond: 0.001, burst: 20 },
  writes: { perSecond: 0.001, burst: 5 },
}

let api: SeededApi

beforeAll(async () => {
  api = await startSeededApi({ intents: 20, limits: LIMITS, trustedProxies: ['127.0.0.0/8'] })
})
afterAll(async () => {
  await api?.stop()
})

const from = (address: string) => ({ 'x-forwarded-for': address })

test('a client beyond its limit gets 429 with Retry-After; others are served', async () => {
  const answers = []
  for (let i = 0; i < 21; i++) answers.push(await api.get('/batches', from('198.51.100.1')))
  expect(answers.map(({ status }) => status)).toEqual([...Array(20).fill(200), 429])
  expect(answers[0]!.headers.get('ratelimit')).toMatch(/^"reads";r=19;t=\d+$/)
  expect(answers[0]!.headers.get('ratelimit-policy')).toBe('"reads";q=20;w=20000')
  const refused = answers[20]!
  expect(refused.body).toMatchObject({ success: false, code: 'RATE_LIMITED' })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(refused.headers.get('ratelimit')).toMatch(/^"reads";r=0;t=\d+$/)
  expect((await api.get('/batches', from('198.51.100.2'))).status).toBe(200)
})

test('all reads share a limit, including those under /v1', async () => {
  const headers = from('198.51.100.3')
  const paths = ['/health', '/v1/health', '/intents?limit=1', '/nowhere', '/openapi.json']
  for (let i = 0; i < 20; i++) await api.get(paths[i % paths.length]!, headers)
  expect((await api.get('/v1/health', headers)).status).toBe(429)
  const verify = await api.post('/verify', { intentId: '1', network: 'base_sepolia' }, headers)
  expect(verify.status).toBe(429)
})

test('a forged X-Forwarded-For doesn’t evade the limit', async () => {
  for (let i = 0; i < 20; i++) await api.get('/batches', from(`10.0.0.${i}, 198.51.100.4`))
  expect((await api.get('/batches', from('10.0.0.99, 198.51.100.4'))).status).toBe(429)
})

test('all addresses of one IPv6 subscriber count as one client', async () => {
  for (let i = 0; i < 20; i++) await api.get('/batches', from(`2001:db8:1:1::${i}`))
  expect((await api.get('/batches', from('2001:db8:1:1:ffff::1'))).status).toBe(429)
  expect((await api.get('/batches', from('2001:db8:1:2::1'))).status).toBe(200)
})

test('writes share a limit over all clients', async () => {
  const statuses = []
  for (let i = 0; i < 6; i++) {
    statuses.push((await api.post('/store-recipients', {}, from(`198.51.100.${50 + i}`))).status)
  }
  expect(statuses).toEqual([404, 404, 404, 404, 404, 429])
})

test('reads as of a block have a lower limit', async () => {
  const asOfLimits = { perSecond: 0.001, burst: 30 }
  const past = await startSeededApi({ intents: 200, asOfLimits, trustedProxies: ['127.0.0.0/8'] })
  try {
    const { chains } = (await past.get('/health')).body
    const path = `/intents?limit=200&status=expired&orderBy=amountA&asOfBlock=84532:${chains[0].indexed}`
    const flood = Array.from({ length: 90 }, (_, index) =>
      past.get(`${path}&minReward=${index}`, from('198.51.100.1')),
    )
    const statuses = (await Promise.all(flood)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(30)
    expect(statuses.filter((status) => status === 429)).toHaveLength(60)
    expect((await past.get('/intents?limit=5', from('198.51.100.1'))).status).toBe(200)
    expect((await past.get(path, from('198.51.100.2'))).status).toBe(200)
  } finally {
    await past.stop()
  }
})

test('without trusted proxies X-Forwarded-For is ignored', async () => {
  const direct = await startSeededApi({ intents: 0, limits: LIMITS })
  try {
    for (let i = 0; i < 20; i++) await direct.get('/health', from(`198.51.100.${i}`))
    expect((await direct.get('/health', from('198.51.100.200'))).status).toBe(429)
  } finally {
    await direct.stop()
  }
})
