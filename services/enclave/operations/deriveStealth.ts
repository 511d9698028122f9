import { stealthOfDelivery } from '../keys/recipientKeys.ts'
import type { CheckedRequest, ResponseOf } from '../messages.ts'
import type { Room } from '../room.ts'

/** The stealth address of one delivery to a wallet, under the current root. */
export function deriveStealth(
  { keyring }: Room,
  delivery: CheckedRequest<'deriveStealth'>,
): ResponseOf<'deriveStealth'> {
  return stealthOfDelivery(keyring.roots[0], delivery)
}
