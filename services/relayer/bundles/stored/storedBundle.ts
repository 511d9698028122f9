import { bytesToHex } from 'viem'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import type { IntentKey } from '../../../store/intents/storedIntent.ts'

/** A row of `app.bundle`: what is on its way to the chain. */
export type StoredBundle = IntentKey & {
  paramsHash: Hex
  /** The sender's own number. */
  n: number
  /** Whether the sender's signature is in it. */
  isSigned: boolean
  /** By `sealBlob`, for the enclave itself: 512·k bytes. */
  sealed: Hex
  /** SHA-256 of the sender's ciphertext; null for plaintext. */
  ciphertextDigest: Hex | null
  /** Two different ones came without a signature. */
  isDisputed: boolean
  /** Unix seconds by our clock. */
  storedAt: number
}

/** The columns of `app.bundle` as `BundleRow` has them. */
export const BUNDLE_COLUMNS = `source_chain_id as "sourceChainId", intent_id as "intentId",
  params_hash as "paramsHash", n, is_signed as "isSigned", sealed,
  ciphertext_digest as "ciphertextDigest", is_disputed as "isDisputed", stored_at as "storedAt"`

/** A row as the driver gives it. */
export type BundleRow = Omit<StoredBundle, 'sealed' | 'ciphertextDigest' | 'paramsHash'> & {
  paramsHash: Uint8Array
  sealed: Uint8Array
  ciphertextDigest: Uint8Array | null
}

/** A row in the domain's shape. */
export function toStoredBundle(row: BundleRow): StoredBundle {
  const { sealed, ciphertextDigest, paramsHash } = row
  return {
    ...row,
    paramsHash: bytesToHex(paramsHash),
    sealed: bytesToHex(sealed),
    ciphertextDigest: ciphertextDigest && bytesToHex(ciphertextDigest),
  }
}
