import { z } from '@hono/zod-openapi'
import { replayDeliveries } from '../../../services/store/webhooks/webhookDeliveries.ts'
import {
  disableEndpoint,
  enableEndpoint,
  rotateSecret,
} from '../../../services/store/webhooks/webhookEndpoints.ts'
import { type App, addEndpoint, success } from '../../http/addEndpoint.ts'
import { count } from '../../http/valueSchemas.ts'
import { eventIdInput, webhookId } from './readWebhookRoutes.ts'
import { newWebhookSecret } from './registerWebhookRoute.ts'
import {
  callerHeaders,
  requireEndpoint,
  type WebhookContext,
} from './webhookCallerAuthentication.ts'
import { ENDPOINT_LIMITS, limitReached } from './webhookLimits.ts'

/** Maximum number of events in a replay. */
const MAX_REPLAYED = 10_000

const common = {
  method: 'post',
  tag: 'Webhooks',
  headers: callerHeaders,
  params: z.strictObject({ webhookId }),
  failures: [401, 403, 404, 503] as (401 | 403 | 404 | 503)[],
} as const

const done = success({})

/** `POST /webhooks/{webhookId}/…`: rotate, replay, disable and enable, for the owner and operators. */
export function addChangeWebhookRoutes(app: App, context: WebhookContext): void {
  const { db, rules } = context
  addEndpoint(app, {
    ...common,
    path: '/webhooks/{webhookId}/rotate',
    summary: 'Rotate a webhook’s secret',
    description:
      'For 24 hours, deliveries are signed with both secrets. An operator can’t rotate a wallet’s. Message to sign: WEBHOOK:rotate:<id>:<timestamp>.',
    answer: done.extend({ secret: z.string() }),
    handler: async ({ webhookId: id }, c) => {
      await requireEndpoint(c, db, rules, { action: 'rotate', id, isForOwner: true })
      const { secret, ...sealed } = await newWebhookSecret(db, id)
      await rotateSecret(db, id, sealed)
      return { secret }
    },
  })
  addEndpoint(app, {
    ...common,
    path: '/webhooks/{webhookId}/replay',
    summary: 'Replay deliveries',
    description: `Replays the failed deliveries or, with \`after\`, up to ${MAX_REPLAYED} events after that one. Each keeps its id. Message to sign: WEBHOOK:replay:<id>:<timestamp>.`,
    body: z.strictObject({ after: eventIdInput.optional() }),
    isBodyOptional: true,
    answer: done.extend({ deliveries: count }),
    handler: async ({ webhookId: id, after = null }, c) => {
      context.requireReplay(c)
      await requireEndpoint(c, db, rules, { action: 'replay', id })
      const deliveries = await replayDeliveries(db, id, { after, limit: MAX_REPLAYED })
      return { deliveries }
    },
  })
  for (const action of ['disable', 'enable'] as const) {
    addEndpoint(app, {
      ...common,
      path: `/webhooks/{webhookId}/${action}`,
      summary: action === 'disable' ? 'Disable a webhook' : 'Enable a webhook',
      description: `${action === 'enable' ? 'Events that occurred while it was disabled aren’t sent: replay them. ' : ''}Message to sign: WEBHOOK:${action}:<id>:<timestamp>.`,
      answer: done,
      handler: async ({ webhookId: id }, c) => {
        const endpoint = await requireEndpoint(c, db, rules, { action, id })
        if (action === 'disable') await disableEndpoint(db, id)
        else {
          const reached = await enableEndpoint(db, endpoint, ENDPOINT_LIMITS)
          if (reached !== null) throw limitReached(reached)
        }
        return {}
      },
    })
  }
}
