import { recoverMessageAddress } from 'viem'
import type { IntentTerms } from '../../../services/relayer/terms/intentTerms.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { notSignedBy, signatureHeader } from '../../http/auth/signatureHeaders.ts'
import type { ApiContext } from '../../http/honoEnvironment.ts'
import type { WriteContext } from '../writeContext.ts'

/**
 * Whether `X-Sender-Signature` is present and from the intent's sender.
 *
 * @throws ApiError `INVALID_SIGNATURE` if the header has another signature
 */
export async function isSignedBySender(
  c: ApiContext,
  context: WriteContext,
  { sourceChainId, user: address }: IntentTerms,
  message: string,
): Promise<boolean> {
  const signature = signatureHeader(c, 'x-sender-signature')
  if (signature === null) return false
  const isSigned = await context.isSigned(c, { message, signature, address }, sourceChainId)
  if (!isSigned) throw notSignedBy('the intent’s sender’s', message)
  return true
}

/**
 * The `X-Sender-Signature` that goes on chain, where enclaves verify it later. Must be a key's: a contract may
 * accept a signature today and not tomorrow. Contracts name recipients by calling `nameRecipients`.
 *
 * @returns null without the header
 * @throws ApiError `INVALID_SIGNATURE` if it isn't the sender's
 */
export async function senderSignature(
  c: ApiContext,
  { user }: IntentTerms,
  message: string,
): Promise<Hex | null> {
  const signature = signatureHeader(c, 'x-sender-signature')
  if (signature === null) return null
  const isComplete = signature.length === 2 + 2 * 65
  const signer =
    isComplete && (await recoverMessageAddress({ message, signature }).catch(() => null))
  if (signer && signer.toLowerCase() === user) return signature
  const forContracts = 'from a contract such as a Safe, call the bridge’s nameRecipients'
  throw notSignedBy('the intent’s sender’s', message, forContracts)
}
