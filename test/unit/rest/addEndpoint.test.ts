import { OpenAPIHono, z } from '@hono/zod-openapi'
import { expect, test } from 'vitest'
import { addEndpoint } from '../../../api/http/addEndpoint.ts'
import { createErrorResponse } from '../../../api/http/errorResponse.ts'
import type { ApiEnv } from '../../../api/http/honoEnvironment.ts'
import { toApiError } from '../../../api/http/toApiError.ts'
import { chainIdInput, hashInput } from '../../../api/http/valueSchemas.ts'
import { PUSH_TYPES } from '../../../core/push/pushEvent.ts'

const app = new OpenAPIHono<ApiEnv>()
app.onError((error) => createErrorResponse(toApiError(error), '1'))
addEndpoint(app, {
  method: 'post',
  path: '/example',
  tag: 'Service',
  summary: 'An example',
  body: z.strictObject({
    txHash: hashInput,
    chainId: chainIdInput.optional(),
    types: z.array(z.enum(PUSH_TYPES)).optional(),
    order: z.enum(['asc', 'desc']).optional(),
  }),
  answer: z.object({ success: z.literal(true) }),
  handler: async () => ({}),
})

const txHash = `0x${'11'.repeat(32)}`
const listed = PUSH_TYPES.map((type) => `"${type}"`).join(', ')

test.each([
  ['a missing field', {}, 'txHash: is missing'],
  ['a field of another type', { txHash: 1 }, 'txHash: expected string, received number'],
  ['an unknown field', { txHash, hash: 1 }, 'hash: is not known here'],
  ['a word that is none of a few', { txHash, order: 'up' }, 'order: expected one of "asc", "desc"'],
  ['one that is none of many', { txHash, types: ['x'] }, `types.0: expected one of ${listed}`],
  [
    'no chain',
    { txHash, chainId: 'x' },
    'chainId: expected a chain id or a chain name, as GET /chains lists them',
  ],
  [
    'a negative chain',
    { txHash, chainId: -1 },
    'chainId: expected a chain id or a chain name, as GET /chains lists them',
  ],
  [
    'a chain of another type',
    { txHash, chainId: {} },
    'chainId: expected a chain id or a chain name, as GET /chains lists them',
  ],
])('%s is refused in plain words', async (_, body, words) => {
  const response = await app.request('/example', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({
    code: 'INVALID_REQUEST',
    error: `invalid body: ${words}`,
  })
})
