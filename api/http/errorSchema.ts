import { z } from '@hono/zod-openapi'

/** Every failure looks like this. */
export const errorSchema = z
  .object({
    success: z.literal(false),
    error: z.string().openapi({ description: 'For people; may change.' }),
    code: z.string().openapi({ description: 'For programs; stable.', example: 'INTENT_NOT_FOUND' }),
    requestId: z.string().openapi({ description: 'Also in the header X-Request-Id.' }),
    details: z.unknown().optional(),
  })
  .openapi('Error')

const content = { 'application/json': { schema: errorSchema } }

/** Failures by status, as the OpenAPI document tells them. */
export const ERROR_RESPONSES = {
  400: { description: 'The request is wrong; sent unchanged it fails again.', content },
  401: { description: 'No credentials.', content },
  403: { description: 'Not for this caller.', content },
  404: { description: 'Unknown.', content },
  405: { description: 'The path answers to other methods: Allow names them.', content },
  413: { description: 'The body is larger than any endpoint takes.', content },
  415: { description: 'The body is not application/json.', content },
  429: { description: 'Too many requests; Retry-After says when to come back.', content },
  500: { description: 'A fault of ours.', content },
  503: { description: 'Not now; Retry-After says when to come back.', content },
} as const
