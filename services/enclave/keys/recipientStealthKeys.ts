import { createHmac } from 'node:crypto'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { curve } from './curve.ts'
import { deriveKey, deriveSecret, KEY_PURPOSE, SECRET_PURPOSE } from './deriveKey.ts'
import { deriveStealthAddress, deriveStealthKey, type Stealth } from './stealth.ts'

/**
 * A recipient: a wallet that is a key, the same on every chain, or a contract on one chain. A contract's address may
 * have different owners on different chains, so these are different recipients.
 */
export type Recipient = {
  recipientAddress: Hex
  /** The chain of a contract wallet; undefined for a key. */
  contractOn?: number | undefined
}

/** The input from which a recipient's keys and tag derive. Changing it loses them. */
export function formatIdentity({ recipientAddress, contractOn }: Recipient): string {
  const wallet = recipientAddress.toLowerCase()
  return contractOn === undefined ? wallet : `${wallet} on ${contractOn}`
}

/** One payment of an intent to a registered wallet. */
export type StealthDelivery = Recipient & {
  /** The destination chain. */
  chainId: number
  intentId: bigint
  index?: number | undefined
}

/** A recipient's public keys, 65 bytes each. */
export type RecipientPublicKeys = { spendPublicKey: Uint8Array; viewPublicKey: Uint8Array }

/** Derives them from a root. */
export function derivePublicKeys(root: Uint8Array, recipient: Recipient): RecipientPublicKeys {
  const name = formatIdentity(recipient)
  const publicKey = (purpose: string) => curve.publicKey(deriveKey(root, purpose))
  return {
    spendPublicKey: publicKey(KEY_PURPOSE.spend(name)),
    viewPublicKey: publicKey(KEY_PURPOSE.view(name)),
  }
}

/**
 * The stealth address of a delivery: a pure function of the root and the delivery.
 *
 * @param keys `derivePublicKeys` of both, for a caller that has them
 */
export function deriveDeliveryStealth(
  root: Uint8Array,
  delivery: StealthDelivery,
  keys: RecipientPublicKeys = derivePublicKeys(root, delivery),
): Stealth {
  const { spendPublicKey, viewPublicKey } = keys
  return deriveStealthAddress(spendPublicKey, viewPublicKey, deriveEphemeralKey(root, delivery))
}

/** The private key of that address, 32 bytes. */
export function deriveDeliveryKey(root: Uint8Array, delivery: StealthDelivery): Uint8Array {
  const name = formatIdentity(delivery)
  return deriveStealthKey(
    deriveKey(root, KEY_PURPOSE.spend(name)),
    deriveKey(root, KEY_PURPOSE.view(name)),
    curve.publicKey(deriveEphemeralKey(root, delivery)),
  )
}

function deriveEphemeralKey(root: Uint8Array, delivery: StealthDelivery): Uint8Array {
  const { chainId, intentId, index = 0 } = delivery
  const name = formatIdentity(delivery)
  return deriveKey(root, KEY_PURPOSE.ephemeral(name, chainId, intentId, index))
}

/** A recipient's pseudonym for places that must not contain its wallet: 32 bytes, always the same. */
export function computeRecipientTag(root: Uint8Array, recipient: Recipient): Hex {
  return keyedHash(root, SECRET_PURPOSE.recipientTag, formatIdentity(recipient))
}

/** The same for an unsigned caller. */
export function computeCallerTag(root: Uint8Array, caller: string): Hex {
  return keyedHash(root, SECRET_PURPOSE.callerTag, caller)
}

function keyedHash(root: Uint8Array, purpose: string, text: string): Hex {
  const key = deriveSecret(root, purpose)
  return `0x${createHmac('sha256', key).update(text).digest('hex')}`
}
