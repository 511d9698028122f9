import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { reopenTransaction } from '../../chain/transactions/reopenTransaction.ts'
import { requestTransaction } from '../../chain/transactions/requestTransaction.ts'
import {
  isOver,
  type Transaction,
  type TransactionRequest,
} from '../../chain/transactions/transaction.ts'
import type { OrdersContext, ServedChain } from '../ordersContext.ts'

/** Calls of a vault. Each has its effect once, by the vault's own state. */
export type EffectKind = 'fundOrder' | 'fireTranche' | 'closeOrder'

/** An effect on a vault, which identifies repetitions. */
export function effectOf(kind: EffectKind, orderId: Hex, n?: number): string {
  return kind === 'fireTranche' ? `${orderId}:${n}` : orderId
}

export type EffectRequest = { kind: EffectKind } & Pick<
  TransactionRequest,
  'effect' | 'data' | 'deadline' | 'payer' | 'gasLimit'
>

/**
 * Requests a call of a chain's vault, once. A finished one that the chain doesn't show, because it failed
 * or a reorg took it back, is reopened.
 */
export async function requestEffect(
  { db, account }: Pick<OrdersContext, 'db' | 'account'>,
  { chainId, vault }: Pick<ServedChain, 'chainId' | 'vault'>,
  { data, ...request }: EffectRequest,
): Promise<Transaction> {
  const call = { ...request, chainId, account, to: vault, data }
  const transaction = await requestTransaction(db, call)
  if (!transaction.isNew && isOver(transaction)) await reopenTransaction(db, transaction, { data })
  return transaction
}
