import { bytesToHex } from 'viem'
import { predictSafe } from '../../../core/safe/predictSafe.ts'
import {
  computeRecipientTag,
  deriveDeliveryStealth,
  derivePublicKeys,
  formatIdentity,
  type RecipientPublicKeys,
  type StealthDelivery,
} from '../keys/recipientStealthKeys.ts'
import { sealTicket } from '../keys/sealedRecipientTickets.ts'
import { type Handler, type OperationContext, requireChain } from '../operationContext.ts'
import type { ResponseOf } from '../operationSchemas.ts'

/** A delivery's stealth address and Safe, under the current root. */
export const deriveStealth: Handler<'deriveStealth'> = (context, delivery) => {
  return deriveDelivery(context, context.keyring.current.root, delivery)
}

/** The same for many, each under the root of its key. */
export const deriveStealths: Handler<'deriveStealths'> = (context, { deliveries }) => {
  const { current, byId } = context.keyring
  // Many are usually of one recipient.
  const known = new Map<string, RecipientPublicKeys>()
  return {
    derived: deliveries.map(({ keyId, ...delivery }) => {
      const key = keyId === undefined ? current : byId.get(keyId)
      if (key === undefined || !context.chains.has(delivery.chainId)) return null
      const name = `${key.id} ${formatIdentity(delivery)}`
      const keys = known.get(name) ?? derivePublicKeys(key.root, delivery)
      known.set(name, keys)
      return deriveDelivery(context, key.root, delivery, keys)
    }),
  }
}

/**
 * A delivery's destination: always the same for the same delivery and root.
 *
 * @param keys of the recipient, for a caller that has them
 */
export function deriveDelivery(
  context: Pick<OperationContext, 'chains'>,
  root: Uint8Array,
  delivery: StealthDelivery,
  keys: RecipientPublicKeys = derivePublicKeys(root, delivery),
): ResponseOf<'deriveStealth'> {
  return {
    ...deriveSafe(context, root, delivery, keys),
    tag: computeRecipientTag(root, delivery),
    ticket: sealTicket(root, delivery),
    spendPubKey: bytesToHex(keys.spendPublicKey),
    viewPubKey: bytesToHex(keys.viewPublicKey),
  }
}

/** The stealth address of a delivery, and the Safe that it owns. */
export function deriveSafe(
  context: Pick<OperationContext, 'chains'>,
  root: Uint8Array,
  delivery: StealthDelivery,
  keys?: RecipientPublicKeys,
) {
  const stealth = deriveDeliveryStealth(root, delivery, keys)
  const { chainId } = delivery
  const { safe } = requireChain(context, chainId)
  const { address: safeAddress, saltNonce } = predictSafe(stealth.stealthAddress, chainId, safe)
  return { ...stealth, safeAddress, saltNonce }
}
