import { bytesToHex } from 'viem'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { IntentKey } from '../store/storedIntent.ts'

/** How recipients came to the relayer. */
export type BundleOrigin = 'blob' | 'encrypted' | 'plaintext'

/** A row of `app.bundle`. */
export type StoredBundle = IntentKey & {
  /** The recovery blob that is or will be on chain: 512·n bytes. */
  sealed: Hex
  feeBps: 250 | 700
  origin: BundleOrigin
  /** SHA-256 of the sender's ciphertext; null for plaintext. */
  ciphertextDigest: Hex | null
  /** Unix seconds. */
  storedAt: number
}

/** The columns of `app.bundle` as `BundleRow` has them. */
export const BUNDLE_COLUMNS = `source_chain_id as "sourceChainId", intent_id as "intentId", sealed,
  fee_bps as "feeBps", origin, ciphertext_digest as "ciphertextDigest", stored_at as "storedAt"`

/** A row as the driver gives it. */
export type BundleRow = Omit<StoredBundle, 'sealed' | 'ciphertextDigest'> & {
  sealed: Uint8Array
  ciphertextDigest: Uint8Array | null
}

/** A row in the domain's shape. */
export function toStoredBundle({ sealed, ciphertextDigest, ...row }: BundleRow): StoredBundle {
  return {
    ...row,
    sealed: bytesToHex(sealed),
    ciphertextDigest: ciphertextDigest && bytesToHex(ciphertextDigest),
  }
}
