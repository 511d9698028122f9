import { OpenAPIHono } from '@hono/zod-openapi'
import { expect, test } from 'vitest'
import { createErrorResponse } from '../../../api/http/errorResponse.ts'
import type { ApiEnv } from '../../../api/http/honoEnvironment.ts'
import { toApiError } from '../../../api/http/toApiError.ts'
import { addIntentMetadataRoute } from '../../../api/rest/intents/intentMetadataRoute.ts'

const app = new OpenAPIHono<ApiEnv>()
app.onError((error) => createErrorResponse(toApiError(error), '1'))
addIntentMetadataRoute(app, {} as never)

const wrong = Array.from({ length: 5_000 }, (_, at) => [`${at}`, 0])

// Each problem takes tens of microseconds of the only thread, and the answer shows the first twenty.
test.each([
  ['viewers', wrong.map(([name]) => name), 'expected array to have <=50 items'],
  ['metadata', Object.fromEntries(wrong), 'expected text under each name'],
  ['metadata', [], 'expected record, received array'],
  ['metadata', 'a', 'expected record, received string'],
])('%s of thousands of wrong values, or of another type, are one problem', async (name, value, words) => {
  const response = await app.request('/intent-metadata', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ intentId: '1', chainId: 1, [name]: value }),
  })
  expect(response.status).toBe(400)
  const { details } = (await response.json()) as { details: unknown }
  expect(details).toEqual([{ path: name, message: expect.stringContaining(words) }])
})
