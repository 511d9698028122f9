import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { findTransaction } from '../../chain/transactions/findTransaction.ts'
import { reopenTransaction } from '../../chain/transactions/reopenTransaction.ts'
import { requestTransaction } from '../../chain/transactions/requestTransaction.ts'
import {
  isOver,
  type Transaction,
  type TransactionRequest,
} from '../../chain/transactions/transactionRow.ts'
import type { OrdersContext, ServedChain } from '../ordersContext.ts'

/** Calls of a vault. The vault's own state makes each take effect once. */
type EffectKind = 'fundOrder' | 'fireTranche' | 'closeOrder'

/** An effect on a vault: of a tranche or of a whole order. */
type VaultEffect =
  | { kind: 'fireTranche'; orderId: Hex; n: number }
  | { kind: Exclude<EffectKind, 'fireTranche'>; orderId: Hex }

/** The key that repeated requests of an effect share. */
export function effectOf(effect: VaultEffect): string {
  return effect.kind === 'fireTranche' ? `${effect.orderId}:${effect.n}` : effect.orderId
}

export type VaultCallRequest = { effect: VaultEffect } & Pick<
  TransactionRequest,
  'data' | 'deadline' | 'payer' | 'gasLimit'
>

/** The latest transaction requested for an effect; null when there is none. */
export function findVaultCall(
  { db }: Pick<OrdersContext, 'db'>,
  { chainId }: Pick<ServedChain, 'chainId'>,
  effect: VaultEffect,
): Promise<Transaction | null> {
  return findTransaction(db, { kind: effect.kind, chainId, effect: effectOf(effect) })
}

/**
 * Requests a call of a chain's vault, once. A finished transaction is reopened: the chain doesn't show its effect,
 * because it failed or a reorg removed it.
 */
export async function requestVaultCall(
  { db, account }: Pick<OrdersContext, 'db' | 'account'>,
  { chainId, vault }: Pick<ServedChain, 'chainId' | 'vault'>,
  { data, effect, ...request }: VaultCallRequest,
): Promise<Transaction> {
  const key = { kind: effect.kind, chainId, effect: effectOf(effect) }
  const transaction = await requestTransaction(db, { ...request, ...key, account, to: vault, data })
  // As it is wanted now: a tampered row may describe another call, or none.
  const call = { account, to: vault, data, value: 0n, gasLimit: request.gasLimit ?? null }
  if (!transaction.isNew && isOver(transaction)) await reopenTransaction(db, transaction, call)
  return transaction
}
