import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import { type OpenAPIHono, z } from '@hono/zod-openapi'
import { keccak256, stringToHex } from 'viem'
import { PUSH_TYPES } from '../../../core/push/pushEvent.ts'
import { registerWebhookMessage } from '../../../sdk/messages/webhooks.ts'
import { isPublicAddress } from '../../../services/push/deliver/checkedLookup.ts'
import { insertEndpoint } from '../../../services/store/webhooks/endpoints.ts'
import { addEndpoint } from '../../http/addEndpoint.ts'
import type { ApiEnv } from '../../http/apiEnv.ts'
import { BadRequestError } from '../../http/apiError.ts'
import { addressInput, chainIdInput, intentIdInput } from '../../http/valueSchemas.ts'
import { newWebhookSecret } from './newWebhookSecret.ts'
import { callerHeaders, requireCaller, signatureUsed } from './webhookCaller.ts'
import type { WebhookContext } from './webhookContext.ts'
import { ENDPOINT_LIMITS, limitReached } from './webhookLimits.ts'
import { renderWebhook, webhookSchema } from './webhookSchema.ts'

const body = z
  .strictObject({
    url: z.string().max(2_000),
    intentId: intentIdInput.optional(),
    sender: addressInput.optional(),
    solver: addressInput.optional(),
    chainId: chainIdInput.optional(),
    types: z.array(z.enum(PUSH_TYPES)).min(1).max(PUSH_TYPES.length).optional(),
    delivery: z.enum(['instant', 'finalized']).default('instant'),
  })
  .refine(
    ({ intentId, sender, solver, chainId }) =>
      [intentId, sender, solver, chainId].some((one) => one !== undefined),
    'say of which intentId, sender, solver or chainId',
  )

const answer = z.object({
  success: z.literal(true),
  webhook: webhookSchema,
  secret: z.string().openapi({ description: 'Shown this once: keep it.', example: 'whsec_…' }),
})

/** `POST /webhooks`: has events sent to a URL. */
export function addRegisterWebhook(app: OpenAPIHono<ApiEnv>, context: WebhookContext): void {
  const { db, rules, allowPrivate } = context
  addEndpoint(app, {
    method: 'post',
    path: '/webhooks',
    tag: 'Webhooks',
    summary: 'Have events sent to you',
    description:
      'Signed by any wallet, a contract too (X-Owner-Chain): REGISTER_WEBHOOK:<url>:<filter>:<delivery>:<timestamp>, where <filter> is what is given of intentId, sender, solver, chain, types, as name=value joined by &.',
    headers: callerHeaders,
    body,
    answer,
    failures: [401, 403, 503],
    handler: async (c, { body: given }) => {
      const { url, delivery, ...filter } = given
      const message = (at: number) => registerWebhookMessage(url, filter, delivery, at)
      const caller = await requireCaller(c, rules, message)
      if (caller !== 'admin') await context.requireRoom(c)
      requireUsable(url, allowPrivate)
      const endpointId = `wh_${randomBytes(16).toString('base64url')}`
      const { secret, ...sealed } = await newWebhookSecret(db, endpointId)
      const isAdmin = caller === 'admin'
      const inserted = await insertEndpoint(
        db,
        {
          ...{ endpointId, url, mode: delivery, types: filter.types ?? null, ...sealed },
          ...{ intentId: filter.intentId ?? null, chainId: filter.chainId ?? null },
          ...{ sender: filter.sender ?? null, solver: filter.solver ?? null },
          owner: isAdmin ? null : caller.owner,
          requestHash: isAdmin
            ? null
            : keccak256(stringToHex(`${caller.address}:${message(caller.timestamp)}`)),
          actedAt: isAdmin ? 0 : caller.timestamp,
        },
        ENDPOINT_LIMITS,
      )
      if (inserted === 'used') throw signatureUsed()
      if (inserted === 'owner' || inserted === 'all') throw limitReached(inserted)
      return c.json({ success: true, webhook: renderWebhook(inserted), secret })
    },
  })
}

/** What the URL alone shows; where its name resolves to is checked for each connection. */
function requireUsable(text: string, allowPrivate: boolean): void {
  const url = URL.parse(text)
  const host = url?.hostname.replace(/^\[|\]$/g, '') ?? ''
  if (url === null || !['http:', 'https:'].includes(url.protocol)) throw refused('is not a URL')
  if (url.protocol === 'http:' && !allowPrivate) throw refused('must begin with https://')
  if (url.username !== '' || url.password !== '') throw refused('must hold no password')
  if (url.hash !== '') throw refused('must hold no #')
  if (isIP(host) !== 0 && !allowPrivate && !isPublicAddress(host))
    throw refused('must be on the public internet')
}

function refused(why: string): BadRequestError {
  return new BadRequestError(`url ${why}`, 'WEBHOOK_URL_REFUSED')
}
