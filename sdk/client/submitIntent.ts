import { keccak256 } from 'viem'
import { approve } from './approve.ts'
import { checkLiquidity } from './checkLiquidity.ts'
import type { ClientContext } from './clientOptions.ts'
import { createdIn } from './createdIn.ts'
import { handleOf, type IntentHandle } from './intentHandle.ts'
import type { IntentRequest } from './intentRequest.ts'
import { prepareIntent } from './prepareIntent.ts'
import { send } from './send.ts'

export type SubmitOptions = {
  /** Don't ask the relayer whether a solver could take it. Default: ask. */
  skipLiquidityCheck?: boolean
}

/**
 * Checks an intent, approves its tokens, and creates it with its recipients sealed into the creation, so
 * that nothing remains to send and nobody can name others. Nothing costs anything before the approval.
 *
 * @throws CairnError
 */
export async function submitIntent(
  context: ClientContext,
  intent: IntentRequest,
  { skipLiquidityCheck = false }: SubmitOptions = {},
): Promise<IntentHandle> {
  const { chains, wallet, data, blob } = await prepareIntent(context, intent)
  if (!skipLiquidityCheck) await checkLiquidity(context.relayer, intent)
  const { bridge } = chains.source
  await approve(wallet, { token: intent.tokenIn, bridge }, intent.amountIn + intent.reward)
  const receipt = await send(wallet, bridge, data)
  const id = createdIn(receipt, chains.source, [keccak256(blob)])
  return handleOf(context, id, { createTxHash: receipt.transactionHash })
}
