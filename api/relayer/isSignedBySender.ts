import type { IntentTerms } from '../../services/bundles/intentTerms.ts'
import type { ApiContext } from '../http/apiEnv.ts'
import { isSignedBy } from '../http/auth/isSignedBy.ts'
import { notSignedBy, signatureHeader } from '../http/auth/signatureHeaders.ts'
import type { WriteContext } from './writeContext.ts'

/**
 * Whether `X-Sender-Signature` is there and the intent's sender's.
 *
 * @throws ApiError `INVALID_SIGNATURE` when it is there and isn't
 */
export async function isSignedBySender(
  c: ApiContext,
  { accountsOn }: WriteContext,
  { sourceChainId, user: address }: IntentTerms,
  message: string,
): Promise<boolean> {
  const signature = signatureHeader(c, 'x-sender-signature')
  if (signature === null) return false
  const isSigned = await isSignedBy({ message, signature, address }, accountsOn(sourceChainId))
  if (!isSigned) throw notSignedBy('the intent’s sender’s')
  return true
}
