import { z } from '@hono/zod-openapi'
import { expect, test } from 'vitest'
import { addEndpoint } from '../../../api/http/addEndpoint.ts'
import { createBaseApp } from '../../../api/http/baseApp.ts'
import { createRequestGate, DEFAULT_LIMITS } from '../../../api/http/limits/requestGate.ts'
import { createMetrics, createRequestMeter } from '../../../api/http/metrics.ts'

test.each([
  ['that other origins’ scripts may call', true, 204, null, 'GET, HEAD, OPTIONS'],
  ['of its operator alone', false, 405, 'GET, HEAD', 'GET, HEAD'],
])('an API %s allows the methods that it answers', async (_, isPublic, status, own, allow) => {
  const app = createBaseApp({
    gate: createRequestGate(DEFAULT_LIMITS),
    isTrustedProxy: () => false,
    meter: createRequestMeter(createMetrics()),
    onFailure: () => {},
    isPublic,
  })
  addEndpoint(app, {
    method: 'get',
    path: '/example',
    tag: 'Service',
    summary: 'An example',
    answer: z.object({ success: z.literal(true) }),
    handler: async () => ({}),
  })
  const options = await app.request('/example', { method: 'OPTIONS' })
  expect([options.status, options.headers.get('allow')]).toEqual([status, own])
  const put = await app.request('/example', { method: 'PUT' })
  expect([put.status, put.headers.get('allow')]).toEqual([405, allow])
})
