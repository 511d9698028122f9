import { type Hex, isAddressEqual, recoverMessageAddress } from 'viem'
import { findReason } from '../../../services/chain/accountSender.ts'
import { UnavailableError } from '../apiError.ts'

export type SignedMessage = { message: string; signature: Hex; address: Hex }

/** A chain on which the signer may be a smart account. */
export type AccountChain = {
  getCode(at: { address: Hex }): Promise<Hex | undefined>
  /** Whether the contract accepts the signature (ERC-1271, or ERC-6492 before its deployment). */
  verifyMessage(signed: SignedMessage): Promise<boolean>
}

/** Suffix of a signature by an account that isn't deployed yet (ERC-6492). */
export const ERC6492_SUFFIX = '6492649264926492649264926492649264926492649264926492649264926492'

/**
 * Whether an account signed a message: by its key (EIP-191) or, if it is a contract, by ERC-1271.
 *
 * The signature of an account that isn't deployed yet (ERC-6492) contains calls that a node has to execute.
 * They are executed only with `mayBeUndeployed`, which the caller sets for accounts that a sender has named.
 * Accounts that have sent a transaction, such as senders and winners, are deployed.
 *
 * @param chain null: only keys can sign
 * @throws ApiError RPC_UNREACHABLE if the contract's chain can't be reached
 */
export async function isSignedBy(
  { message, signature, address }: SignedMessage,
  chain: AccountChain | null,
  { mayBeUndeployed = false } = {},
): Promise<boolean> {
  const signer = await recoverMessageAddress({ message, signature }).catch(() => null)
  if (signer && isAddressEqual(signer, address)) return true
  if (chain === null) return false
  try {
    const isDeployed = ((await chain.getCode({ address })) ?? '0x') !== '0x'
    if (!isDeployed && !(mayBeUndeployed && signature.endsWith(ERC6492_SUFFIX))) return false
    return await chain.verifyMessage({ address, message, signature })
  } catch (error) {
    // viem's error would log the signature, which stays valid for minutes.
    const cause = new Error(findReason(error))
    const words = 'the chain’s nodes can’t be reached: try again'
    throw new UnavailableError(words, 'RPC_UNREACHABLE', 2, cause)
  }
}
