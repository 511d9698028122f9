import { hkdfSync } from 'node:crypto'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToNumberBE, numberToBytesBE } from '@noble/curves/utils.js'

/** Salt of everything derived from a root. */
const SALT = 'cairn enclave v1'

/** Purposes of keys. The text is part of the derivation: changing it loses the keys. */
export const KEY_PURPOSE = {
  ecies: () => 'ecies',
  relayer: () => 'relayer account',
  orderEcies: () => 'orders ecies',
  orderAccount: () => 'orders account',
  spend: (wallet: string) => `recipient spend ${wallet.toLowerCase()}`,
  view: (wallet: string) => `recipient view ${wallet.toLowerCase()}`,
  ephemeral: (wallet: string, chainId: number, intentId: bigint, index: number) =>
    `delivery ephemeral ${wallet.toLowerCase()} ${chainId} ${intentId} ${index}`,
} as const

/** Purposes of symmetric keys. The text is part of the derivation. */
export const SECRET_PURPOSE = {
  recipientTag: 'recipient tag',
  callerTag: 'caller tag',
  ticket: 'delivery ticket',
  registration: 'registration ticket',
} as const

/** Derives bytes for a purpose: HKDF-SHA256 of the root. */
export function deriveSecret(root: Uint8Array, purpose: string, bytes = 32): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', root, SALT, purpose, bytes))
}

/**
 * Derives the private key for a purpose: HKDF-SHA256 of the root (salt `cairn enclave v1`, the purpose as info), 48
 * bytes reduced to 1 … n − 1, so that the bias is negligible.
 *
 * @param root 32 bytes
 * @returns 32 bytes
 */
export function deriveKey(root: Uint8Array, purpose: string): Uint8Array {
  return toPrivateKey(deriveSecret(root, purpose, 48))
}

/** 48 random bytes as a private key. */
export function toPrivateKey(wide: Uint8Array): Uint8Array {
  const order = secp256k1.Point.Fn.ORDER
  return numberToBytesBE((bytesToNumberBE(wide) % (order - 1n)) + 1n, 32)
}
