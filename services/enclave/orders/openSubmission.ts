import { hashMessage, hexToBytes, keccak256 } from 'viem'
import { recoverSigner } from '../../../core/bundle/recoverSigner.ts'
import { findPayoutProblem, parseSubmission } from '../../../core/order/parseSubmission.ts'
import type { Submission } from '../../../core/order/submission.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { EnclaveChain } from '../enclaveChain.ts'
import { EnclaveError } from '../enclaveError.ts'
import { type OperationContext, requireChain } from '../operationContext.ts'
import { deriveOrderEciesKey } from './orderKeys.ts'

/** An order that this enclave could open. */
export type OpenedSubmission = {
  orderId: Hex
  submission: Submission
  chain: EnclaveChain & { vault: Hex }
  /** The root of the key that it is encrypted to. */
  root: Uint8Array
}

/**
 * Opens what an owner submitted. Throws an EnclaveError `DECRYPTION_FAILED`, `ORDER_INVALID` (the field
 * says where), `CHAIN_NOT_CONFIGURED`.
 *
 * @param now unix seconds; 0 for an order that was funded before: its end may have passed
 */
export function openSubmission(
  context: OperationContext,
  encrypted: Hex,
  now: number,
): OpenedSubmission {
  const ciphertext = hexToBytes(encrypted)
  const { plaintext, root } = decrypt(context, ciphertext)
  const parsed = parseSubmission(plaintext, now)
  if (!parsed.ok) throw new EnclaveError('ORDER_INVALID', parsed.field)
  const { submission } = parsed
  const chain = requireVault(context, submission.sourceChainId)
  const destination = context.chains.get(submission.destChainId)
  if (destination === undefined) throw new EnclaveError('ORDER_INVALID', 'destChainId')
  const place = findPayoutProblem(submission, destination.bridge)
  if (place !== null) throw new EnclaveError('ORDER_INVALID', place)
  return { orderId: keccak256(ciphertext), submission, chain, root }
}

/** `openSubmission` of an order that was funded on this chain. */
export function openOrderOn(
  context: OperationContext,
  encrypted: Hex,
  sourceChainId: number,
): OpenedSubmission {
  const opened = openSubmission(context, encrypted, 0)
  if (opened.chain.chainId !== sourceChainId)
    throw new EnclaveError('ORDER_INVALID', 'sourceChainId')
  return opened
}

/** The chain, if it has a vault. */
export function requireVault(
  context: OperationContext,
  chainId: number,
): EnclaveChain & { vault: Hex } {
  const chain = context.chains.get(chainId)
  if (chain === undefined) throw new EnclaveError('ORDER_INVALID', 'sourceChainId')
  const { vault } = requireChain(context, chainId)
  if (vault === undefined) throw new EnclaveError('CHAIN_NOT_CONFIGURED', 'vault')
  return { ...chain, vault }
}

/**
 * Requires that a message was signed by an account: by its key or, where it is a contract, by ERC-1271.
 * Throws an EnclaveError `SIGNATURE_INVALID` for what is no signature at all, `SIGNER_MISMATCH` for
 * somebody else's.
 *
 * @returns the signature in the form that contracts take: a key's has one only
 */
export async function requireSigner(
  context: OperationContext,
  chainId: number,
  { owner, message, signature }: { owner: Hex; message: string; signature: Hex },
): Promise<Hex> {
  const hash = hashMessage(message)
  const isKeySized = signature.length === 2 + 2 * 65
  const signer = isKeySized ? recoverSigner(hash, signature) : null
  if (signer === owner) return normalizeSignature(signature)
  if (await context.isContractSignature(chainId, { wallet: owner, hash, signature }))
    return signature
  throw new EnclaveError(signer === null ? 'SIGNATURE_INVALID' : 'SIGNER_MISMATCH')
}

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** `s` in the lower half and `v` 27 or 28: every other form of the same signature is converted. */
function normalizeSignature(signature: Hex): Hex {
  const r = signature.slice(2, 66)
  const s = BigInt(`0x${signature.slice(66, 130)}`)
  const v = Number(`0x${signature.slice(130)}`) % 27
  const isHigh = s > ORDER / 2n
  const low = (isHigh ? ORDER - s : s).toString(16).padStart(64, '0')
  return `0x${r}${low}${(27 + (isHigh ? 1 - v : v)).toString(16)}`
}

function decrypt({ keyring, ecies }: OperationContext, ciphertext: Uint8Array) {
  for (const root of keyring.roots) {
    try {
      return { plaintext: ecies.decrypt(deriveOrderEciesKey(root), ciphertext), root }
    } catch {
      // Encrypted to another of our keys, or to none.
    }
  }
  throw new EnclaveError('DECRYPTION_FAILED')
}
