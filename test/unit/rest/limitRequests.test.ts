import { Hono } from 'hono'
import { expect, it } from 'vitest'
import type { ApiEnv } from '../../../api/http/honoEnvironment.ts'
import { limitRequests } from '../../../api/http/limits/limitRequests.ts'
import type { RequestGate } from '../../../api/http/limits/requestGate.ts'
import { currentReader } from '../../../services/store/database/fairShares.ts'

/** What a request is charged as, and the answer's status. */
async function request(method: string, path: string, allowed = true) {
  const charged: unknown[] = []
  const gate: RequestGate = {
    take(...taken) {
      charged.push(taken)
      return { allowed, retrySeconds: 7, policy: 'the policy', limit: 'the limit' }
    },
  }
  const app = new Hono<ApiEnv>()
  app.use(limitRequests(gate, () => false))
  app.all('*', (c) => c.text('answered', 200, { share: String(currentReader()) }))
  app.onError((error, c) => c.text(String((error as { code?: string }).code), 429))
  const incoming = { socket: { remoteAddress: '203.0.113.1' }, headers: {} }
  const answer = await app.request(path, { method }, { incoming })
  const limit = answer.headers.get('ratelimit')
  return { charged, incoming, status: answer.status, limit, share: answer.headers.get('share') }
}

it.each([
  ['GET', '/intents', 'reads'],
  ['HEAD', '/intents', 'reads'],
  ['POST', '/verify', 'reads'],
  ['POST', '/graphql', 'reads'],
  ['POST', '/get-routes', 'reads'],
  ['POST', '/store-recipients', 'writes'],
  ['DELETE', '/webhooks/1', 'writes'],
])('%s %s is charged to its client as one of its %s', async (method, path, kind) => {
  const { charged, incoming, status, limit, share } = await request(method, path)
  expect(charged).toEqual([[kind, '203.0.113.1', incoming]])
  expect([status, limit, share]).toEqual([200, 'the limit', '203.0.113.1'])
})

it('beyond the limit nothing is answered', async () => {
  expect(await request('GET', '/intents', false)).toMatchObject({ status: 429 })
})

it('what browsers ask before a write isn’t charged', async () => {
  expect(await request('OPTIONS', '/store-recipients', false)).toMatchObject({
    charged: [],
    status: 200,
  })
})
