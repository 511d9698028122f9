import type { Hex } from 'viem'
import { reopenTransaction, takeOverTransaction } from '../../../chain/transactions/requestAgain.ts'
import { requestTransaction } from '../../../chain/transactions/requestTransaction.ts'
import {
  isOver,
  type Transaction,
  type TransactionRequest,
} from '../../../chain/transactions/transactionRow.ts'
import { type ReactionContext, requireChain } from '../reactionContext.ts'
import {
  type Effect,
  effectName,
  type IntentState,
  type Outcome,
  transactionName,
} from '../reconcilerEffect.ts'

/**
 * Requests a call of the source chain's bridge once. Reopens one that had ended when the facts were read. Takes over a
 * row of another account, from before a root rotation, or of another call, which someone else wrote: the bridge accepts
 * each call only once anyway.
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
  const call = { account: reactor.relayer, to: requireChain(reactor, chainId).bridge, data }
  const key = { kind: effect.kind, chainId, effect: name }
  const transaction = await requestTransaction(db, { ...key, ...call, ...urgency })
  if (!isSameCall(transaction, call)) {
    await takeOverTransaction(db, transaction, call)
    return { is: 'under-way' }
  }
  // Another instance may have requested and finished it since these facts were read. Then don't reopen it.
  const known = transactions.get(transactionName(effect.kind, name))
  if (known && isOver(known)) await reopenTransaction(db, { ...known, id: transaction.id }, call)
  return { is: 'under-way' }
}

/** Whether a row requests this call, perhaps with other signatures. */
function isSameCall(
  row: Transaction,
  { account, to, data }: Pick<TransactionRequest, 'account' | 'to' | 'data'>,
): boolean {
  return (
    row.account === account.toLowerCase() &&
    row.to === to &&
    row.data.slice(0, SELECTOR_END) === data.slice(0, SELECTOR_END) &&
    row.value === 0n &&
    row.gasLimit === null
  )
}

const SELECTOR_END = 10
