import { encodeAbiParameters, keccak256 } from 'viem'
import { encodePayments } from '../../../core/settlement/encodePayments.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { encryptWithSeed, SEED_BYTES } from '../ecies/encryptWithSeed.ts'
import { deriveSecret } from '../keys/deriveKey.ts'

/** The unsealed fields of a reveal. */
type RevealOf = {
  chainId: number
  bridge: Hex
  intentId: bigint
  paramsHash: Hex
  blobsHash: Hex
  solver: Hex
  amountB: bigint
  recipientClass: number
}

const TYPES = [
  { type: 'uint256' },
  { type: 'address' },
  { type: 'uint256' },
  { type: 'bytes32' },
  { type: 'bytes32' },
  { type: 'address' },
  { type: 'uint256' },
  { type: 'bytes32' },
  { type: 'bytes32' },
] as const

/**
 * Seals recipients to a winner. Every enclave with the root makes the same bytes: ephemeral key and nonce are
 * HKDF-SHA256 of the root over everything else in the reveal, including the plaintext and the winner's key, so that two
 * plaintexts never share a key and a nonce.
 *
 * @param sealingKey the winner's, 65 bytes
 */
export function sealToWinner(
  root: Uint8Array,
  reveal: RevealOf,
  sealingKey: Uint8Array,
  payments: { recipients: readonly Hex[]; amounts: readonly bigint[] },
): Uint8Array {
  const plaintext = encodePayments(payments, reveal.recipientClass)
  const { chainId, bridge, intentId, paramsHash, blobsHash, solver, amountB } = reveal
  const about = encodeAbiParameters(TYPES, [
    BigInt(chainId),
    bridge,
    intentId,
    paramsHash,
    blobsHash,
    solver,
    amountB,
    keccak256(sealingKey),
    keccak256(plaintext),
  ])
  const chance = deriveSecret(root, `reveal ${keccak256(about)}`, SEED_BYTES)
  return encryptWithSeed(sealingKey, plaintext, chance)
}
