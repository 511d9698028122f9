import { randomBytes } from 'node:crypto'
import type { Db } from '../../../services/store/database/database.ts'
import { sealSecret, webhookKey } from '../../../services/store/webhooks/sealSecret.ts'
import { UnavailableError } from '../../http/apiError.ts'

/** Seconds after which to retry while the role push has never run. */
const RETRY = 10

/** A secret for its owner, and its stored form, which only the role push can open. */
export async function newWebhookSecret(
  db: Db,
  endpointId: string,
): Promise<{ secret: string; keyId: string; sealedSecret: Buffer }> {
  const key = await webhookKey(db)
  if (key === null) {
    throw new UnavailableError('webhooks are not ready yet', 'WEBHOOKS_NOT_READY', RETRY)
  }
  const bytes = randomBytes(32)
  return {
    secret: `whsec_${bytes.toString('base64')}`,
    keyId: key.keyId,
    sealedSecret: sealSecret(key.publicKey, endpointId, bytes),
  }
}
