import type { EndpointLimits } from '../../../services/store/webhooks/webhookEndpoints.ts'
import { BadRequestError } from '../../http/apiError.ts'

/** Active webhooks per wallet, and of all wallets: wallets cost nothing. */
export const ENDPOINT_LIMITS: EndpointLimits = { ofOwner: 10, ofWallets: 2_000 }

export function limitReached(whose: 'owner' | 'all'): BadRequestError {
  const message =
    whose === 'owner'
      ? `a wallet has at most ${ENDPOINT_LIMITS.ofOwner} active webhooks: disable one first`
      : 'this server’s webhook limit is reached: follow GET /events, or ask its operator'
  return new BadRequestError(message, 'WEBHOOK_LIMIT_REACHED')
}
