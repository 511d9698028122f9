import { z } from '@hono/zod-openapi'
import type { OwnerClaim } from '../../services/orders/ordersService.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { ApiContext } from '../http/apiEnv.ts'
import {
  freshTimestamp,
  headerText,
  signatureHeader,
  timestampHeader,
} from '../http/auth/signatureHeaders.ts'

/** Headers with which an owner reads private fields. */
export const ownersHeaders = z.object({
  'x-signature': headerText(
    'The owner’s (EIP-191), over TWAP_READ:<orderId, or the owner’s address>:<timestamp>: shows the intents in strict mode and, for one order, whom it pays.',
  ),
  'x-timestamp': timestampHeader,
})

/** The claimed owner; null without the headers. */
export function ownerClaim(c: ApiContext, what: string): OwnerClaim | null {
  const signature = signatureHeader(c, 'x-signature')
  if (signature === null) return null
  const timestamp = freshTimestamp(c, Math.floor(Date.now() / 1_000))
  return { message: `TWAP_READ:${what}:${timestamp}`, signature: signature as Hex }
}
