import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { reopenTransaction } from '../../chain/transactions/reopenTransaction.ts'
import { requestTransaction } from '../../chain/transactions/requestTransaction.ts'
import { isOver, type Transaction } from '../../chain/transactions/transaction.ts'
import type { OrdersContext, ServedChain } from '../ordersContext.ts'

/** Calls of a vault. Each has its effect once, by the vault's own state. */
export type EffectKind = 'fundOrder' | 'fireTranche' | 'closeOrder'

/** An effect on a vault, by which a repetition is known. */
export function effectOf(kind: EffectKind, orderId: Hex, n?: number): string {
  return kind === 'fireTranche' ? `${orderId}:${n}` : orderId
}

/**
 * Asks for a call of a chain's vault, once. One that is over although the chain doesn't show it, since it
 * failed or a reorg took it back, is opened again.
 */
export async function requestEffect(
  { db, account }: Pick<OrdersContext, 'db' | 'account'>,
  { chainId, vault }: ServedChain,
  {
    kind,
    effect,
    data,
    deadline,
  }: { kind: EffectKind; effect: string; data: Hex; deadline?: number },
): Promise<Transaction> {
  const transaction = await requestTransaction(db, {
    ...{ kind, chainId, effect, account, to: vault, data },
    ...(deadline !== undefined && { deadline }),
  })
  if (!transaction.isNew && isOver(transaction)) await reopenTransaction(db, transaction, data)
  return transaction
}
