import type { Db } from '../../../services/store/database/database.ts'
import type { ApiContext } from '../../http/apiEnv.ts'
import type { CallerRules } from './webhookCaller.ts'

/** What the endpoints of webhooks share. */
export type WebhookContext = {
  db: Db
  rules: CallerRules
  /** Also http, and addresses of private networks: for a devnet. */
  allowPrivate: boolean
  /** @throws RateLimitedError for a client that registers too many */
  requireRoom: (c: ApiContext) => Promise<void>
  /** @throws RateLimitedError for a client that has too much sent again */
  requireReplay: (c: ApiContext) => void
}
