import { hashMessage, hexToBytes, keccak256 } from 'viem'
import { findPayoutProblem, parseSubmission } from '../../../core/order/parseSubmission.ts'
import type { Submission } from '../../../core/order/submission.ts'
import { recoverSigner } from '../../../core/recipientBundle/recoverSigner.ts'
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
 * Opens an owner's submission that can be paid out.
 *
 * @param now unix seconds; 0 for an order that was funded before, since its end may have passed
 * @throws EnclaveError `DECRYPTION_FAILED`, `ORDER_INVALID` (with the field), `CHAIN_NOT_CONFIGURED`
 */
export function openSubmission(
  context: OperationContext,
  encrypted: Hex,
  now: number,
): OpenedSubmission {
  const opened = readSubmission(context, encrypted, now)
  const { submission } = opened
  const destination = context.chains.get(submission.destChainId)
  if (destination === undefined) throw new EnclaveError('ORDER_INVALID', 'destChainId')
  const place = findPayoutProblem(submission, destination.bridge)
  if (place !== null) throw new EnclaveError('ORDER_INVALID', place)
  return opened
}

function readSubmission(context: OperationContext, encrypted: Hex, now: number): OpenedSubmission {
  const ciphertext = hexToBytes(encrypted)
  const { plaintext, root } = decrypt(context, ciphertext)
  const parsed = parseSubmission(plaintext, now)
  if (!parsed.ok) throw new EnclaveError('ORDER_INVALID', parsed.field)
  const { submission } = parsed
  const chain = requireVault(context, submission.sourceChainId)
  return { orderId: keccak256(ciphertext), submission, chain, root }
}

/** `openSubmission` of an order funded on this chain. */
export function openOrderOn(
  context: OperationContext,
  encrypted: Hex,
  sourceChainId: number,
): OpenedSubmission {
  return requireSource(openSubmission(context, encrypted, 0), sourceChainId)
}

/** The same for its owner, who can read and cancel it even when its destination isn't configured any more. */
export function openOwnersOrder(
  context: OperationContext,
  encrypted: Hex,
  sourceChainId: number,
): OpenedSubmission {
  return requireSource(readSubmission(context, encrypted, 0), sourceChainId)
}

function requireSource(opened: OpenedSubmission, sourceChainId: number): OpenedSubmission {
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
 * Requires an account's signature of a message: its key's, or a contract's by ERC-1271.
 *
 * @returns the signature in the form that contracts accept; a key's has only one
 * @throws EnclaveError `SIGNATURE_INVALID` for a malformed signature, `SIGNER_MISMATCH` for another signer's
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

/** Converts every form of a signature to the canonical one: `s` in the lower half, `v` 27 or 28. */
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
