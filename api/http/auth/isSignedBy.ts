import { type Hex, isAddressEqual, recoverMessageAddress } from 'viem'
import { reasonOf } from '../../../services/chain/accountSender.ts'
import { UnavailableError } from '../apiError.ts'

export type SignedMessage = { message: string; signature: Hex; address: Hex }

/** The chain on which a smart account that signs may live. */
export type AccountChain = {
  getCode(at: { address: Hex }): Promise<Hex | undefined>
  /** Whether the contract accepts the signature, also before it is deployed (ERC-6492). */
  verifyMessage(signed: SignedMessage): Promise<boolean>
}

/** The suffix of a signature by an account that isn't deployed yet. */
const ERC6492_SUFFIX = '6492649264926492649264926492649264926492649264926492649264926492'

/**
 * Whether an account signed a message by EIP-191: its key, or, where the account is a contract, the
 * contract itself by ERC-1271.
 *
 * A signature of an account that isn't deployed yet (ERC-6492) holds calls that a node has to run: those
 * count only where `mayBeUndeployed` says that somebody else has named this account before. Accounts
 * that have sent a transaction, such as senders and winners, need none.
 *
 * @param chain null when only keys can sign
 * @throws ApiError RPC_UNREACHABLE when the chain of a contract can't be asked
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
    // viem's error quotes the signature, which stays valid for minutes.
    const cause = new Error(reasonOf(error))
    throw new UnavailableError('the chain’s nodes can’t be reached', 'RPC_UNREACHABLE', 2, cause)
  }
}
