import { secp256k1 } from '@noble/curves/secp256k1.js'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { deriveKey, KEY_PURPOSE } from './deriveKey.ts'
import { type Stealth, stealthKeyOf, stealthOf } from './stealth.ts'

/** One payment of an intent to a registered wallet. */
export type StealthDelivery = {
  recipientAddress: Hex
  /** Where the money arrives. */
  chainId: number
  intentId: bigint
  index?: number | undefined
}

/** A wallet's public keys, 65 bytes each. */
export function recipientPublicKeys(
  root: Uint8Array,
  wallet: Hex,
): { spendPublicKey: Uint8Array; viewPublicKey: Uint8Array } {
  const publicKey = (purpose: string) => secp256k1.getPublicKey(deriveKey(root, purpose), false)
  return {
    spendPublicKey: publicKey(KEY_PURPOSE.spend(wallet)),
    viewPublicKey: publicKey(KEY_PURPOSE.view(wallet)),
  }
}

/** The stealth address of a delivery: a pure function of the root and the delivery. */
export function stealthOfDelivery(root: Uint8Array, delivery: StealthDelivery): Stealth {
  const { spendPublicKey, viewPublicKey } = recipientPublicKeys(root, delivery.recipientAddress)
  return stealthOf(spendPublicKey, viewPublicKey, ephemeralKeyOf(root, delivery))
}

/** The private key of that address, 32 bytes. */
export function stealthKeyOfDelivery(root: Uint8Array, delivery: StealthDelivery): Uint8Array {
  const wallet = delivery.recipientAddress
  return stealthKeyOf(
    deriveKey(root, KEY_PURPOSE.spend(wallet)),
    deriveKey(root, KEY_PURPOSE.view(wallet)),
    secp256k1.getPublicKey(ephemeralKeyOf(root, delivery), false),
  )
}

function ephemeralKeyOf(
  root: Uint8Array,
  { recipientAddress, chainId, intentId, index = 0 }: StealthDelivery,
): Uint8Array {
  return deriveKey(root, KEY_PURPOSE.ephemeral(recipientAddress, chainId, intentId, index))
}
