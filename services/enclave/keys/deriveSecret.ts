import { hkdfSync } from 'node:crypto'

/** Of everything that is derived from a root. */
export const SALT = 'cairn enclave v1'

/** What a symmetric key is for. The text goes into the derivation as it is. */
export const SECRET_PURPOSE = {
  recipientTag: 'recipient tag',
  callerTag: 'caller tag',
  ticket: 'delivery ticket',
  registration: 'registration ticket',
} as const

/** 32 bytes for a purpose: HKDF-SHA256 of the root, as `deriveKey` does for keys of the curve. */
export function deriveSecret(root: Uint8Array, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', root, SALT, purpose, 32))
}
