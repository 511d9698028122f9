import { createChainClients } from '../../../services/chain/chainClient.ts'
import { countActiveEndpoints } from '../../../services/store/webhooks/webhookEndpoints.ts'
import { RateLimitedError } from '../../http/apiError.ts'
import { createAdminGate } from '../../http/auth/adminGate.ts'
import { createContractSignatureChains } from '../../http/auth/contractSignatureChains.ts'
import { addressOf, writerOf } from '../../http/limits/clientAddress.ts'
import { createRateLimit } from '../../http/limits/rateLimit.ts'
import type { ApiRoutes } from '../startApi.ts'
import { addChangeWebhookRoutes } from './changeWebhookRoutes.ts'
import { describeWebhookDelivery } from './describeWebhookDelivery.ts'
import { addReadWebhookRoutes } from './readWebhookRoutes.ts'
import { addRegisterWebhookRoute } from './registerWebhookRoute.ts'
import type { WebhookContext } from './webhookCallerAuthentication.ts'
import { ENDPOINT_LIMITS } from './webhookLimits.ts'

type WebhooksOptions = {
  adminTokens?: readonly string[]
  /** Allows http and private networks, for a devnet. */
  allowPrivate?: boolean
  /** Registrations per client. */
  registrations?: { perSecond: number; burst: number }
  /** Contract signatures per client. */
  checks?: { perSecond: number; burst: number }
}

const REGISTRATIONS = { perSecond: 10 / 3_600, burst: 20 }
/** Cost of a registration while more than half of all webhooks are taken: then a client has four at once, and two an hour. */
const CROWDED_COST = 5
/** Replays per client: each writes up to ten thousand rows. */
const REPLAYS = { perSecond: 1 / 60, burst: 10 }
const CHECKS = { perSecond: 0.1, burst: 10 }
/** Milliseconds that a node has to answer. */
const TIMEOUT_MS = 5_000

/** The endpoints under `/webhooks`. */
export function createWebhookRoutes({
  adminTokens = [],
  allowPrivate = false,
  registrations = REGISTRATIONS,
  checks = CHECKS,
}: WebhooksOptions): ApiRoutes {
  return (app, { db, isTrustedProxy, configured }) => {
    const limit = createRateLimit('webhooks', registrations)
    const replayLimit = createRateLimit('webhook-replays', REPLAYS)
    const checkLimit = createRateLimit('contract-signatures', checks)
    const context: WebhookContext = {
      db,
      allowPrivate,
      rules: {
        gate: adminTokens.length > 0 ? createAdminGate(adminTokens) : null,
        now: () => Math.floor(Date.now() / 1_000),
        accountsOn: createContractSignatureChains(
          configured,
          createChainClients(configured, TIMEOUT_MS),
        ),
        requireCheck: (c) => checkLimit.require(writerOf(addressOf(c, isTrustedProxy))),
      },
      requireReplay: (c) => {
        // An operator; `requireEndpoint` checks the token.
        if (c.req.header('authorization') !== undefined) return
        replayLimit.require(writerOf(addressOf(c, isTrustedProxy)))
      },
      requireRoom: async (c) => {
        const isCrowded = (await countActiveEndpoints(db)) > ENDPOINT_LIMITS.ofWallets / 2
        const cost = isCrowded ? CROWDED_COST : 1
        const decision = limit.take(writerOf(addressOf(c, isTrustedProxy)), cost)
        if (!decision.allowed) throw new RateLimitedError(decision.retrySeconds, decision)
      },
    }
    describeWebhookDelivery(app)
    addRegisterWebhookRoute(app, context)
    addReadWebhookRoutes(app, context)
    addChangeWebhookRoutes(app, context)
    return undefined
  }
}
