import { RateLimitedError } from '../../http/apiError.ts'
import { createAdminGate } from '../../http/auth/adminGate.ts'
import { addressOf, writerOf } from '../../http/clientAddress.ts'
import { createRateLimit } from '../../http/rateLimit.ts'
import type { Surface } from '../server.ts'
import { addWebhookChanges } from './changeWebhooks.ts'
import { addWebhookReads } from './readWebhooks.ts'
import { addRegisterWebhook } from './registerWebhook.ts'
import type { WebhookContext } from './webhookContext.ts'

export type WebhooksOptions = {
  adminTokens?: readonly string[]
  /** Also http, and addresses of private networks: for a devnet. */
  allowPrivate?: boolean
  /** Registrations that a client may make; by default twenty at once, and ten an hour. */
  registrations?: { perSecond: number; burst: number }
}

const REGISTRATIONS = { perSecond: 10 / 3_600, burst: 20 }

/** `/webhooks`: registration, and what owners see and change. */
export function webhooksSurface({
  adminTokens = [],
  allowPrivate = false,
  registrations = REGISTRATIONS,
}: WebhooksOptions): Surface {
  return (app, { db, trusts }) => {
    const limit = createRateLimit('webhooks', registrations)
    const context: WebhookContext = {
      ...{ db, allowPrivate },
      rules: {
        gate: adminTokens.length > 0 ? createAdminGate(adminTokens) : null,
        now: () => Math.floor(Date.now() / 1_000),
      },
      requireRoom: (c) => {
        const passage = limit.take(writerOf(addressOf(c, trusts)))
        if (!passage.allowed) throw new RateLimitedError(passage.retrySeconds, passage)
      },
    }
    addRegisterWebhook(app, context)
    addWebhookReads(app, context)
    addWebhookChanges(app, context)
    return undefined
  }
}
