import { keccak256 } from 'viem'
import { splitBlob } from '../../src/blob/layout.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'

/** What makes one ciphertext serve one intent only: keccak256 of it, and of its ephemeral key. */
export type CiphertextDigests = { digest: Hex; ephemeralKeyDigest: Hex }

/** An ECIES ciphertext begins with the 65 bytes of its ephemeral public key. */
const EPHEMERAL_KEY_END = 2 + 2 * 65

/** The digests of a ciphertext inside a recovery blob; null for what is no blob. */
export function ciphertextDigests(blob: Hex): CiphertextDigests | null {
  const ciphertext = splitBlob(blob)?.ciphertext
  if (ciphertext === undefined) return null
  return {
    digest: keccak256(ciphertext),
    ephemeralKeyDigest: keccak256(ciphertext.slice(0, EPHEMERAL_KEY_END) as Hex),
  }
}
