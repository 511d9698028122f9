import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import { z } from '@hono/zod-openapi'
import { keccak256, stringToHex } from 'viem'
import { PUSH_TYPES } from '../../../core/push/pushEvent.ts'
import { registerWebhookMessage } from '../../../sdk/messages/webhookMessages.ts'
import { isPublicAddress } from '../../../services/push/deliver/publicIpLookup.ts'
import type { Db } from '../../../services/store/database/openDatabase.ts'
import {
  readWebhookKey,
  sealWebhookSecret,
} from '../../../services/store/webhooks/sealWebhookSecret.ts'
import { insertEndpoint } from '../../../services/store/webhooks/webhookEndpoints.ts'
import { type App, addEndpoint, success } from '../../http/addEndpoint.ts'
import { BadRequestError, UnavailableError } from '../../http/apiError.ts'
import { addressInput, chainIdInput, intentIdInput } from '../../http/valueSchemas.ts'
import {
  callerHeaders,
  requireCaller,
  signatureUsed,
  type WebhookContext,
} from './webhookCallerAuthentication.ts'
import { ENDPOINT_LIMITS, limitReached } from './webhookLimits.ts'
import { renderWebhook, webhookSchema } from './webhookSchemas.ts'

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
    'expected at least one of intentId, sender, solver and chainId',
  )

const answer = success({
  webhook: webhookSchema,
  secret: z.string().openapi({ description: 'Shown only once: store it.', example: 'whsec_…' }),
})

/** `POST /webhooks`: registers a URL that events are sent to. */
export function addRegisterWebhookRoute(app: App, context: WebhookContext): void {
  const { db, rules, allowPrivate } = context
  addEndpoint(app, {
    method: 'post',
    path: '/webhooks',
    tag: 'Webhooks',
    summary: 'Register a webhook',
    description:
      'Any wallet can sign, including contracts (X-Owner-Chain). Message to sign: REGISTER_WEBHOOK:<url>:<filter>:<delivery>:<timestamp>, where <filter> lists the fields you give of intentId, sender, solver, chain (your chainId) and types (joined by commas), in this order, as name=value joined by &; addresses in lower case.',
    headers: callerHeaders,
    body,
    answer,
    failures: [401, 403, 503],
    handler: async ({ url, delivery, ...filter }, c) => {
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
          endpointId,
          url,
          mode: delivery,
          types: filter.types ?? null,
          ...sealed,
          intentId: filter.intentId ?? null,
          chainId: filter.chainId ?? null,
          sender: filter.sender ?? null,
          solver: filter.solver ?? null,
          owner: isAdmin ? null : caller.owner,
          requestHash: isAdmin
            ? null
            : keccak256(stringToHex(`${caller.address}:${message(caller.timestamp)}`)),
        },
        ENDPOINT_LIMITS,
      )
      if (inserted === 'used') throw signatureUsed()
      if (inserted === 'owner' || inserted === 'all') throw limitReached(inserted)
      return { webhook: renderWebhook(inserted), secret }
    },
  })
}

/** Checks the URL itself. The address that its host resolves to is checked for each connection. */
function requireUsable(text: string, allowPrivate: boolean): void {
  const url = URL.parse(text)
  const host = url?.hostname.replace(/^\[|\]$/g, '') ?? ''
  if (url === null || !['http:', 'https:'].includes(url.protocol)) throw refused('is not a URL')
  if (url.protocol === 'http:' && !allowPrivate) throw refused('must begin with https://')
  if (url.username !== '' || url.password !== '') throw refused('must not contain a password')
  if (url.hash !== '') throw refused('must not contain a #')
  if (isIP(host) !== 0 && !allowPrivate && !isPublicAddress(host))
    throw refused('must be on the public internet')
}

function refused(why: string): BadRequestError {
  return new BadRequestError(`url ${why}`, 'WEBHOOK_URL_REFUSED')
}

/** Seconds after which to retry if the push role has never run. */
const RETRY = 10

/** A new secret, and its stored form, which only the push role can open. */
export async function newWebhookSecret(
  db: Db,
  endpointId: string,
): Promise<{ secret: string; keyId: string; sealedSecret: Buffer }> {
  const key = await readWebhookKey(db)
  if (key === null) {
    throw new UnavailableError('webhooks are not ready yet', 'WEBHOOKS_NOT_READY', RETRY)
  }
  const bytes = randomBytes(32)
  return {
    secret: `whsec_${bytes.toString('base64')}`,
    keyId: key.keyId,
    sealedSecret: sealWebhookSecret(key.publicKey, endpointId, bytes),
  }
}
