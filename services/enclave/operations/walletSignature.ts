import { recoverMessageAddress } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { EnclaveError } from '../enclaveError.ts'
import type { Room } from '../room.ts'

/** Who is said to have signed what. */
export type SignedMessage = {
  wallet: Hex
  message: string
  signature: Hex
  /** Where a smart-account wallet lives; undefined for a wallet that is a key. */
  chainId: number | undefined
}

/**
 * Requires an EIP-191 signature of the wallet: by its key, or as its contract on `chainId` says by
 * ERC-1271 (ERC-6492 before it is deployed), for which all of that chain's witnesses must say so.
 * Throws an EnclaveError `SIGNATURE_INVALID`, or what the witnesses throw.
 */
export async function requireWalletSignature(room: Room, signed: SignedMessage): Promise<void> {
  if (await isByKey(signed)) return
  if (signed.chainId !== undefined) {
    const { chainId, wallet, message, signature } = signed
    if (await room.witnesses.isWalletSignature(chainId, { wallet, message, signature })) return
  }
  throw new EnclaveError('SIGNATURE_INVALID')
}

async function isByKey({ wallet, message, signature }: SignedMessage): Promise<boolean> {
  if (signature.length !== 2 + 2 * 65) return false
  try {
    const signer = await recoverMessageAddress({ message, signature })
    return signer.toLowerCase() === wallet
  } catch {
    return false
  }
}
