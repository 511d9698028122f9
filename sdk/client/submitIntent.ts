import { keccak256 } from 'viem'
import { CairnError } from '../errors/cairnError.ts'
import { approveToken } from './approveToken.ts'
import { checkLiquidity } from './checkLiquidity.ts'
import type { ClientContext } from './clientOptions.ts'
import { findCreatedIntentId } from './findCreatedIntentId.ts'
import { createIntentHandle, type IntentHandle } from './intentHandle.ts'
import type { IntentRequest } from './intentRequest.ts'
import { prepareIntent } from './prepareIntent.ts'
import { sendTransaction } from './sendTransaction.ts'

export type SubmitOptions = {
  /** Skip asking the relayer whether a solver could take the intent. Default: ask. */
  skipLiquidityCheck?: boolean | undefined
}

/**
 * Checks an intent, approves its tokens, and creates it with the recipients sealed into the creation, so that nothing
 * remains to be sent and nobody can name others. Costs nothing until the approval.
 *
 * @throws CairnError; not `retryable` if the creation may be mined all the same (`details.txHash`, null if unknown)
 */
export async function submitIntent(
  context: ClientContext,
  intent: IntentRequest,
  { skipLiquidityCheck = false }: SubmitOptions = {},
): Promise<IntentHandle> {
  const { chains, wallet, data, blob } = await prepareIntent(context, intent)
  if (!skipLiquidityCheck) await checkLiquidity(context.relayer, intent)
  const { bridge } = chains.source
  await approveToken(wallet, { token: intent.tokenIn, bridge }, intent.amountIn + intent.reward)
  const beforeSend = async () => requireTimeLeft(intent)
  const receipt = await sendTransaction(wallet, bridge, data, { isPayment: true, beforeSend })
  const id = findCreatedIntentId(receipt, chains.source, [keccak256(blob)])
  return createIntentHandle(context, id, { createTxHash: receipt.transactionHash })
}

/** The wallet's owner may take hours to approve, or the machine may sleep: the auction would begin only then. */
function requireTimeLeft({ deadline }: IntentRequest): void {
  const now = Date.now() / 1_000
  if (deadline > now) return
  const words =
    'the deadline passed before anything but the approval was sent: submit it again with a later one'
  throw new CairnError('INTENT_DEADLINE_PAST', words, { details: { deadline, now } })
}
