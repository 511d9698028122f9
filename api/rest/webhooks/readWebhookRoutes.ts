import { z } from '@hono/zod-openapi'
import { toPushEventId } from '../../../core/push/pushEvent.ts'
import { webhookMessage } from '../../../sdk/messages/webhookMessages.ts'
import { listDeliveries } from '../../../services/store/webhooks/webhookDeliveries.ts'
import { listEndpoints } from '../../../services/store/webhooks/webhookEndpoints.ts'
import { type App, addEndpoint, success } from '../../http/addEndpoint.ts'
import { limitInput } from '../../http/valueSchemas.ts'
import {
  callerHeaders,
  requireCaller,
  requireEndpoint,
  viewerOf,
  type WebhookContext,
} from './webhookCallerAuthentication.ts'
import { deliverySchema, renderDelivery, renderWebhook, webhookSchema } from './webhookSchemas.ts'

/** Maximum number of webhooks in an answer. Wallets have fewer. */
const MAX_LISTED = 1_000

export const webhookId = z
  .string()
  .regex(/^wh_[\w-]{22}$/, 'expected the id of a webhook')
  .openapi({ example: 'wh_AAAAAAAAAAAAAAAAAAAAAA' })

/** An event's id. Parsed to its number. */
export const eventIdInput = z
  .string()
  .regex(/^(evt_)?[0-9]{1,15}$|^(evt_)?[0-8][0-9]{15}$/, 'expected the id of an event, evt_…')
  .transform((text) => Number(text.replace('evt_', '')))
  .openapi({ type: 'string', example: 'evt_1795381409743392' })

/** `GET /webhooks` and `GET /webhooks/{webhookId}/deliveries`, for the owner and operators. */
export function addReadWebhookRoutes(app: App, { db, rules }: WebhookContext): void {
  addEndpoint(app, {
    method: 'get',
    path: '/webhooks',
    tag: 'Webhooks',
    summary: 'Your webhooks',
    description: 'Message to sign: WEBHOOK:list:-:<timestamp>.',
    headers: callerHeaders,
    answer: success({ webhooks: z.array(webhookSchema) }),
    failures: [401, 403, 503],
    handler: async (_, c) => {
      const caller = await requireCaller(c, rules, (at) => webhookMessage('list', null, at))
      const found = await listEndpoints(db, viewerOf(caller), MAX_LISTED)
      return { webhooks: found.map(renderWebhook) }
    },
  })
  addEndpoint(app, {
    method: 'get',
    path: '/webhooks/{webhookId}/deliveries',
    tag: 'Webhooks',
    summary: 'Deliveries of a webhook',
    description: 'Newest first. Message to sign: WEBHOOK:deliveries:<id>:<timestamp>.',
    headers: callerHeaders,
    params: z.strictObject({ webhookId }),
    query: z.strictObject({ limit: limitInput(50, 200), before: eventIdInput.optional() }),
    answer: success({
      deliveries: z.array(deliverySchema),
      nextBefore: z.string().nullable(),
    }),
    failures: [401, 403, 404, 503],
    handler: async ({ webhookId: id, limit, before = null }, c) => {
      await requireEndpoint(c, db, rules, { action: 'deliveries', id })
      const found = await listDeliveries(db, id, { before, limit })
      const last = found.length === limit ? found.at(-1) : undefined
      return {
        deliveries: found.map(renderDelivery),
        nextBefore: last ? toPushEventId(last.sequence) : null,
      }
    },
  })
}
