import { bytesToHex } from 'viem'
import { predictSafe } from '../../../core/safe/predictSafe.ts'
import {
  deriveDeliveryStealth,
  derivePublicKeys,
  type StealthDelivery,
} from '../keys/recipientKeys.ts'
import { computeRecipientTag } from '../keys/recipientTag.ts'
import { sealTicket } from '../keys/sealedTicket.ts'
import { type Handler, type OperationContext, requireChain } from '../operationContext.ts'
import type { ResponseOf } from '../operationSchemas.ts'

/** A delivery's stealth address and Safe, under the current root. */
export const deriveStealth: Handler<'deriveStealth'> = (context, delivery) => {
  return deriveDelivery(context, context.keyring.current.root, delivery)
}

/** The same for many, each under the root of its key. */
export const deriveStealths: Handler<'deriveStealths'> = (context, { deliveries }) => {
  const { current, byId } = context.keyring
  return {
    derived: deliveries.map(({ keyId, ...delivery }) => {
      const key = keyId === undefined ? current : byId.get(keyId)
      const isKnown = key !== undefined && context.chains.has(delivery.chainId)
      return isKnown ? deriveDelivery(context, key.root, delivery) : null
    }),
  }
}

/** A delivery's destination: always the same for the same delivery and root. */
export function deriveDelivery(
  context: Pick<OperationContext, 'chains'>,
  root: Uint8Array,
  delivery: StealthDelivery,
): ResponseOf<'deriveStealth'> {
  const { spendPublicKey, viewPublicKey } = derivePublicKeys(root, delivery)
  return {
    ...deriveSafe(context, root, delivery),
    tag: computeRecipientTag(root, delivery),
    ticket: sealTicket(root, delivery),
    spendPubKey: bytesToHex(spendPublicKey),
    viewPubKey: bytesToHex(viewPublicKey),
  }
}

/** The stealth address of a delivery, and the Safe that it owns. */
export function deriveSafe(
  context: Pick<OperationContext, 'chains'>,
  root: Uint8Array,
  delivery: StealthDelivery,
) {
  const stealth = deriveDeliveryStealth(root, delivery)
  const { chainId } = delivery
  const { safe } = requireChain(context, chainId)
  const { address: safeAddress, saltNonce } = predictSafe(stealth.stealthAddress, chainId, safe)
  return { ...stealth, safeAddress, saltNonce }
}
