import { secp256k1 } from '@noble/curves/secp256k1.js'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { deriveKey, KEY_PURPOSE } from './deriveKey.ts'
import { deriveStealthAddress, deriveStealthKey, type Stealth } from './stealth.ts'

/**
 * Who a recipient is: a wallet that is a key, the same on every chain, or a contract on one chain. A
 * contract address may have one owner here and another there, so these are never the same.
 */
export type Recipient = {
  recipientAddress: Hex
  /** The chain of a wallet that is a contract; undefined for one that is a key. */
  contractOn?: number | undefined
}

/** What a recipient's keys and tag are derived from. Changing it loses them. */
export function formatIdentity({ recipientAddress, contractOn }: Recipient): string {
  const wallet = recipientAddress.toLowerCase()
  return contractOn === undefined ? wallet : `${wallet} on ${contractOn}`
}

/** One payment of an intent to a registered wallet. */
export type StealthDelivery = Recipient & {
  /** Where the money arrives. */
  chainId: number
  intentId: bigint
  index?: number | undefined
}

/** A recipient's public keys, 65 bytes each. */
export function derivePublicKeys(
  root: Uint8Array,
  recipient: Recipient,
): { spendPublicKey: Uint8Array; viewPublicKey: Uint8Array } {
  const name = formatIdentity(recipient)
  const publicKey = (purpose: string) => secp256k1.getPublicKey(deriveKey(root, purpose), false)
  return {
    spendPublicKey: publicKey(KEY_PURPOSE.spend(name)),
    viewPublicKey: publicKey(KEY_PURPOSE.view(name)),
  }
}

/** The stealth address of a delivery: a pure function of the root and the delivery. */
export function deriveDeliveryStealth(root: Uint8Array, delivery: StealthDelivery): Stealth {
  const { spendPublicKey, viewPublicKey } = derivePublicKeys(root, delivery)
  return deriveStealthAddress(spendPublicKey, viewPublicKey, deriveEphemeralKey(root, delivery))
}

/** The private key of that address, 32 bytes. */
export function deriveDeliveryKey(root: Uint8Array, delivery: StealthDelivery): Uint8Array {
  const name = formatIdentity(delivery)
  return deriveStealthKey(
    deriveKey(root, KEY_PURPOSE.spend(name)),
    deriveKey(root, KEY_PURPOSE.view(name)),
    secp256k1.getPublicKey(deriveEphemeralKey(root, delivery), false),
  )
}

function deriveEphemeralKey(root: Uint8Array, delivery: StealthDelivery): Uint8Array {
  const { chainId, intentId, index = 0 } = delivery
  const name = formatIdentity(delivery)
  return deriveKey(root, KEY_PURPOSE.ephemeral(name, chainId, intentId, index))
}
