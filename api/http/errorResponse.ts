import { z } from '@hono/zod-openapi'
import { type ApiError, RateLimitedError } from './apiError.ts'

/** The body of every failure. */
const errorSchema = z
  .object({
    success: z.literal(false),
    error: z.string().describe('What went wrong and what to do. The wording may change.'),
    code: z.string().openapi({ description: 'Stable.', example: 'INTENT_NOT_FOUND' }),
    requestId: z.string().describe('The same as in the header X-Request-Id.'),
    details: z
      .unknown()
      .optional()
      .describe(
        'Values that the message refers to: an object that depends on `code`, or for invalid fields a list of `{path, message}`.',
      ),
  })
  .openapi('Error')

const content = { 'application/json': { schema: errorSchema } }

/** Failures by status, for the OpenAPI document. */
export const ERROR_RESPONSES = {
  400: { description: 'The request is invalid. Repeating it unchanged fails again.', content },
  401: { description: 'Credentials are missing.', content },
  403: { description: 'The caller isn’t allowed to do this.', content },
  404: { description: 'Not found.', content },
  405: { description: 'The path doesn’t have this method: see Allow.', content },
  413: { description: 'The body is too large.', content },
  415: { description: 'The body is not application/json.', content },
  429: { description: 'Too many requests. Wait as long as Retry-After says.', content },
  500: { description: 'The server failed.', content },
  503: { description: 'Temporarily unavailable. Wait as long as Retry-After says.', content },
} as const

export function errorBody(error: ApiError, requestId: string): string {
  const { message, code, details } = error
  return JSON.stringify({ success: false, error: message, code, requestId, details })
}

/** A failure's headers: never cached, and describing the exhausted limit, if any. */
export function errorHeaders(error: ApiError): Record<string, string> {
  const { retryAfter } = error
  return {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    ...(retryAfter !== null && { 'retry-after': String(retryAfter) }),
    ...(error instanceof RateLimitedError && {
      'ratelimit-policy': error.notice.policy,
      ratelimit: error.notice.limit,
    }),
  }
}

export function createErrorResponse(error: ApiError, requestId: string): Response {
  const headers = errorHeaders(error)
  return new Response(errorBody(error, requestId), { status: error.status, headers })
}
