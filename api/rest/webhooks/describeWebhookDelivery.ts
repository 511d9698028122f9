import { z } from '@hono/zod-openapi'
import type { App } from '../../http/addEndpoint.ts'
import { pushEventSchema } from '../events/pushEventSchema.ts'

const headers = z.object({
  'webhook-id': z.string().describe('The event’s id: the same in each attempt.'),
  'webhook-timestamp': z.string().describe('Unix seconds of this attempt.'),
  'webhook-signature': z
    .string()
    .describe(
      '`v1,` and base64; during a rotation of the secret two of them, separated by a space.',
    ),
})

/** Adds to the OpenAPI document what a webhook receives. */
export function describeWebhookDelivery(app: App): void {
  app.openAPIRegistry.registerWebhook({
    method: 'post',
    path: 'event',
    operationId: 'receiveEvent',
    tags: ['Webhooks'],
    summary: 'An event, as your webhook receives it',
    description:
      'Signed by Standard Webhooks 1.0: verify the raw body before you parse it. Events may be repeated and arrive out of order. Any other answer than those below is retried nine times over three days.',
    security: [],
    request: {
      headers,
      body: { required: true, content: { 'application/json': { schema: pushEventSchema } } },
    },
    responses: {
      '2XX': { description: 'Received.' },
      410: { description: 'Disables the webhook.' },
    },
  })
}
