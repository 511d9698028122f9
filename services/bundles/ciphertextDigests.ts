import { createHash } from 'node:crypto'
import { hexToBytes } from 'viem'
import { splitBlob } from '../../core/blob/layout.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'

/** What makes one ciphertext serve one intent only: SHA-256 of it, and of its ephemeral key. */
export type CiphertextDigests = { digest: Hex; ephemeralKeyDigest: Hex }

/** An ECIES ciphertext begins with the 65 bytes of its ephemeral public key. */
const EPHEMERAL_KEY_BYTES = 65

/** The digests of the ciphertext inside a recovery blob; null for what is no blob. */
export function ciphertextDigests(blob: Hex): CiphertextDigests | null {
  const parts = splitBlob(blob)
  if (parts === null) return null
  const ciphertext = hexToBytes(parts.ciphertext)
  return {
    digest: sha256(ciphertext),
    ephemeralKeyDigest: sha256(ciphertext.subarray(0, EPHEMERAL_KEY_BYTES)),
  }
}

function sha256(bytes: Uint8Array): Hex {
  return `0x${createHash('sha256').update(bytes).digest('hex')}`
}
