import { keccak256 } from 'viem'
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
  skipLiquidityCheck?: boolean
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
  const receipt = await sendTransaction(wallet, bridge, data, { isPayment: true })
  const id = findCreatedIntentId(receipt, chains.source, [keccak256(blob)])
  return createIntentHandle(context, id, { createTxHash: receipt.transactionHash })
}
