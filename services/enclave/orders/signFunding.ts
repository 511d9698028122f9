import { isDevelopmentChain } from '../../../core/chain/developmentChains.ts'
import { buildVaultMessage, type OrderTerms } from '../../../core/order/enclaveVaultMessages.ts'
import {
  findDigestOffset,
  findMessageExpiry,
  findOrderMessageProblem,
} from '../../../core/order/findOrderMessageProblem.ts'
import { sumAmounts } from '../../../core/order/parseSubmission.ts'
import type { Submission } from '../../../core/order/submission.ts'
import type { EnclaveChain } from '../enclaveChain.ts'
import { EnclaveError } from '../enclaveError.ts'
import type { Handler } from '../operationContext.ts'
import { signWithAttesterKey } from '../operations/signWithAttesterKey.ts'
import { openSubmission, requireSigner } from './openSubmission.ts'

/** Seconds for which an order may be funded: a refused request must not succeed later. */
const FUNDING_SECONDS = 600

/** Opens an order, verifies its owner's message, and signs the terms that it is funded under. */
export const signFunding: Handler<'signFunding'> = async (
  context,
  { encrypted, message, signature, deadline },
) => {
  const now = context.now()
  if (deadline <= now || deadline > now + FUNDING_SECONDS) {
    throw new EnclaveError('REQUEST_INVALID', 'deadline')
  }
  const { orderId, submission, chain } = openSubmission(context, encrypted, now)
  const { user: owner, sourceChainId } = submission
  const mayBeAnything = acceptsAnyMessage(chain)
  const problem = findOrderMessageProblem(message, { orderId, sourceChainId, now, mayBeAnything })
  // Before the signature: a message that names another chain is in the wrong lane, and must not cause requests to this
  // chain.
  if (problem !== null) throw new EnclaveError('MESSAGE_REFUSED', problem)
  const ownerSignature = await requireSigner(context, sourceChainId, { owner, message, signature })
  // Otherwise, an order that its owner gave up and placed again could still be funded.
  const expiry = findMessageExpiry(message) ?? deadline
  const terms = toOrderTerms(submission, Math.min(deadline, expiry))
  return {
    ...(await signWithAttesterKey(
      context,
      buildVaultMessage(chain, 'FundOrder', { orderId, ...terms }),
    )),
    sourceChainId,
    digestOffset: Math.max(0, findDigestOffset(message, orderId)),
    ownerSignature,
  }
}

/** An owner may sign any text on test networks only: elsewhere, any of its signatures could place an order. */
export function acceptsAnyMessage({ chainId, mode }: EnclaveChain): boolean {
  return mode === 'compat' && isDevelopmentChain(chainId)
}

function toOrderTerms(submission: Submission, deadline: number): OrderTerms {
  const { user: owner, assetIn: token, assetOut: tokenB, amountPerPeriod } = submission
  return {
    owner,
    token,
    tokenB,
    amountPerPeriod,
    totalAmount: submission.totalAmountIn,
    destChainId: BigInt(submission.destChainId),
    expectedAmountB: sumAmounts(submission),
    period: BigInt(submission.period),
    startTime: BigInt(submission.startTime),
    endTime: BigInt(submission.endTime),
    deadline: BigInt(deadline),
  }
}
