import type { ApiContext } from '../honoEnvironment.ts'
import { addressOf, type IsTrustedProxy, writerOf } from '../limits/clientAddress.ts'
import { createRateLimit } from '../limits/rateLimit.ts'
import type { AccountChains } from './contractSignatureChains.ts'
import { isSignedBy, type SignedMessage } from './isSignedBy.ts'

/** Per client. Anyone can name any account, and each check causes requests to nodes. */
const UNPROVEN_SIGNATURES = { perSecond: 1, burst: 60 }

/**
 * Whether an account signed a message: see `isSignedBy`. A signature that no key made is limited per client, because its chain
 * is asked whether the account is a contract that accepts it.
 *
 * @param c the request, whose client is charged
 * @throws RateLimitedError for a client that has sent too many of those; ApiError RPC_UNREACHABLE
 */
export type SignatureCheck = (
  c: ApiContext,
  signed: SignedMessage,
  chainId: number,
  options?: { mayBeUndeployed?: boolean },
) => Promise<boolean>

export function createSignatureCheck(
  accountsOn: AccountChains,
  isTrustedProxy: IsTrustedProxy,
): SignatureCheck {
  const unproven = createRateLimit('unproven-signatures', UNPROVEN_SIGNATURES)
  return async (c, signed, chainId, options) => {
    if (await isSignedBy(signed, null)) return true
    unproven.require(writerOf(addressOf(c, isTrustedProxy)))
    return isSignedBy(signed, accountsOn(chainId), options)
  }
}
