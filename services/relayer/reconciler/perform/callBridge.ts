import type { Hex } from 'viem'
import { reopenTransaction } from '../../../chain/transactions/reopenTransaction.ts'
import { requestTransaction } from '../../../chain/transactions/requestTransaction.ts'
import { isOver, type TransactionRequest } from '../../../chain/transactions/transactionRow.ts'
import type { ReactionContext } from '../reactionContext.ts'
import {
  type Effect,
  effectName,
  type IntentState,
  type Outcome,
  transactionName,
} from '../reconcilerEffect.ts'

/**
 * Requests a call of the source chain's bridge once. Reopens one that had ended when the facts were read.
 *
 * @param urgency what puts it before others
 */
export async function callBridge(
  reactor: ReactionContext,
  { facts: { source }, transactions }: IntentState,
  effect: Effect,
  data: Hex,
  urgency: Pick<TransactionRequest, 'deadline' | 'worth' | 'payer' | 'l1Fee'> = {},
): Promise<Outcome> {
  const { sourceChainId: chainId, intentId } = source
  const { db } = reactor.bundles
  const name = effectName(intentId, effect)
  const transaction = await requestTransaction(db, {
    kind: effect.kind,
    chainId,
    effect: name,
    account: reactor.relayer,
    to: bridgeOf(reactor, chainId),
    data,
    ...urgency,
  })
  // Another instance may have requested and finished it since these facts were read. Then don't reopen it.
  const known = transactions.get(transactionName(effect.kind, name))
  if (known && isOver(known))
    await reopenTransaction(db, { ...known, id: transaction.id }, { data })
  return { is: 'under-way' }
}

/** The bridge of a configured chain, in lower case. */
export function bridgeOf({ bundles }: Pick<ReactionContext, 'bundles'>, chainId: number): Hex {
  const bridge = bundles.bridgeOn(chainId)
  if (bridge === null) throw new Error(`chain ${chainId} is not configured`)
  return bridge
}
