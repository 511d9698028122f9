import { z } from '@hono/zod-openapi'

/** Every failure looks like this. */
const errorSchema = z
  .object({
    success: z.literal(false),
    error: z.string().openapi({ description: 'For people; may change.' }),
    code: z.string().openapi({ description: 'For programs; stable.', example: 'INTENT_NOT_FOUND' }),
    requestId: z.string().openapi({ description: 'Also in the header X-Request-Id.' }),
    details: z.unknown().optional(),
  })
  .openapi('Error')

const content = { 'application/json': { schema: errorSchema } }

/** Failures by status, for the OpenAPI document. */
export const ERROR_RESPONSES = {
  400: { description: 'The request is wrong; repeating it unchanged fails again.', content },
  401: { description: 'No credentials.', content },
  403: { description: 'This caller may not do that.', content },
  404: { description: 'Unknown.', content },
  405: { description: 'The path has other methods: see Allow.', content },
  413: { description: 'The body is too large.', content },
  415: { description: 'The body is not application/json.', content },
  429: { description: 'Too many requests; Retry-After says when to come back.', content },
  500: { description: 'A fault in the server.', content },
  503: { description: 'Not now; Retry-After says when to come back.', content },
} as const
