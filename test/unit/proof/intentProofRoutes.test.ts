import { OpenAPIHono } from '@hono/zod-openapi'
import { describe, expect, it } from 'vitest'
import { RateLimitedError } from '../../../api/http/apiError.ts'
import { createErrorResponse } from '../../../api/http/errorResponse.ts'
import type { ApiEnv } from '../../../api/http/honoEnvironment.ts'
import { exhaustedNotice } from '../../../api/http/limits/rateLimit.ts'
import { toApiError } from '../../../api/http/toApiError.ts'
import { proofFailure } from '../../../api/rest/proof/eventProver.ts'
import { addIntentProofRoute } from '../../../api/rest/proof/intentProofRoutes.ts'

/** The endpoint over something that always fails like this. */
function failing(error: Error) {
  const app = new OpenAPIHono<ApiEnv>()
  app.onError((thrown) => createErrorResponse(toApiError(thrown), 'request'))
  addIntentProofRoute(app, { proofs: () => Promise.reject(error), isTrustedProxy: () => false })
  return app
}

describe('GET /intents/{id}/proof', () => {
  it('describes itself in the OpenAPI document', () => {
    const document = failing(new Error()).getOpenAPI31Document({
      openapi: '3.1.0',
      info: { title: 'test', version: '1' },
    })
    const { get } = document.paths!['/intents/{id}/proof']!
    expect(Object.keys(get!.responses!)).toEqual(['200', '304', '400', '404', '429', '500', '503'])
    const text = JSON.stringify(get)
    for (const field of [
      'receiptsRoot',
      'requestsHash',
      'logPosition',
      'cursor',
      'sourceChainId',
    ]) {
      expect(text).toContain(field)
    }
  })

  it.each([
    ['RPC_UNREACHABLE', 5],
    ['REORG_IN_PROGRESS', 15],
    ['PROOF_NOT_VERIFIED', 60],
    ['PROOF_BUSY', 2],
  ] as const)('answers %s with 503 and when to ask again', async (code, seconds) => {
    const answer = await failing(proofFailure(code, 'why')).request('/intents/7/proof')
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe(String(seconds))
    expect(await answer.json()).toMatchObject({ success: false, code, error: 'why' })
  })

  it('answers 429 to a client that has exhausted its share', async () => {
    const answer = await failing(
      new RateLimitedError(9, exhaustedNotice('proof-blocks', 64, 9)),
    ).request('/intents/7/proof')
    expect(answer.status).toBe(429)
    expect(answer.headers.get('retry-after')).toBe('9')
    expect(await answer.json()).toMatchObject({ code: 'RATE_LIMITED' })
  })

  it('discloses nothing about internal errors', async () => {
    const answer = await failing(new Error('postgres://secret')).request('/intents/7/proof')
    expect(answer.status).toBe(500)
    expect(await answer.text()).not.toContain('secret')
  })
})
