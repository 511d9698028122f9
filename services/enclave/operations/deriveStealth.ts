import { bytesToHex } from 'viem'
import { predictSafe } from '../../../core/safe/predictSafe.ts'
import {
  recipientPublicKeys,
  type StealthDelivery,
  stealthOfDelivery,
} from '../keys/recipientKeys.ts'
import { recipientTag } from '../keys/tags.ts'
import { sealTicket } from '../keys/ticket.ts'
import type { CheckedRequest, ResponseOf } from '../messages.ts'
import { chainIn, type Room } from '../room.ts'

/** The stealth address of one delivery to a recipient, and its Safe, under the current root. */
export function deriveStealth(
  room: Room,
  delivery: CheckedRequest<'deriveStealth'>,
): ResponseOf<'deriveStealth'> {
  const [root] = room.keyring.roots
  return { ...safeOfDelivery(room, root, delivery), ...paperOf(root, delivery) }
}

/**
 * Finds again what deliveries were made out to, when only the wallets and the Safes are known: under any
 * root, and for a wallet that is a key as for one that is a contract where the money arrives.
 */
export function findStealths(
  room: Room,
  { deliveries }: CheckedRequest<'findStealths'>,
): ResponseOf<'findStealths'> {
  return { found: deliveries.map((delivery) => findOne(room, delivery)) }
}

function findOne(
  room: Room,
  { safeAddress, ...delivery }: CheckedRequest<'findStealths'>['deliveries'][number],
): ResponseOf<'findStealths'>['found'][number] {
  // Nothing was made out on a chain that isn't there.
  if (!room.chains.has(delivery.chainId)) return null
  for (const root of room.keyring.roots) {
    for (const contractOn of [undefined, delivery.chainId]) {
      const candidate = { ...delivery, contractOn }
      const stealth = safeOfDelivery(room, root, candidate)
      if (stealth.safeAddress !== safeAddress) continue
      const { spendPublicKey, viewPublicKey } = recipientPublicKeys(root, candidate)
      const keys = {
        spendPubKey: bytesToHex(spendPublicKey),
        viewPubKey: bytesToHex(viewPublicKey),
      }
      return { ...stealth, ...paperOf(root, candidate), ...keys }
    }
  }
  return null
}

function safeOfDelivery(room: Room, root: Uint8Array, delivery: StealthDelivery) {
  const stealth = stealthOfDelivery(root, delivery)
  const { chainId } = delivery
  const { safe } = chainIn(room, chainId)
  const { address: safeAddress, saltNonce } = predictSafe(stealth.stealthAddress, chainId, safe)
  return { ...stealth, safeAddress, saltNonce }
}

/** What a delivery is known by where its wallet must not be read. */
function paperOf(root: Uint8Array, delivery: StealthDelivery) {
  return { tag: recipientTag(root, delivery), ticket: sealTicket(root, delivery) }
}
