import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { findTransaction } from '../../chain/transactions/findTransaction.ts'
import { reopenTransaction, takeOverTransaction } from '../../chain/transactions/requestAgain.ts'
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

type Payer = Pick<OrdersContext, 'db' | 'account'>
type Place = Pick<ServedChain, 'chainId' | 'vault'>

/** The latest transaction requested for an effect; null when there is none, or it is lost. */
export async function findVaultCall(
  { db, account }: Payer,
  place: Place,
  effect: VaultEffect,
): Promise<Transaction | null> {
  const key = { kind: effect.kind, chainId: place.chainId, effect: effectOf(effect) }
  const found = await findTransaction(db, key)
  return found !== null && isLost(found, account, place) ? null : found
}

/**
 * Whether a pending row is another account's, such as from before a root rotation, or asks for a call that somebody else wrote:
 * it may never be sent, and its step would never be taken.
 */
function isLost(row: Transaction, account: string, { vault }: Place): boolean {
  const isCall = row.account === account.toLowerCase() && row.to === vault.toLowerCase()
  return !isOver(row) && !(isCall && row.value === 0n)
}

/**
 * Requests a call of a chain's vault, once. A finished transaction is reopened: the chain doesn't show its effect,
 * because it failed or a reorg removed it. A lost one is replaced: the vault accepts each call once anyway.
 */
export async function requestVaultCall(
  { db, account }: Payer,
  { chainId, vault }: Place,
  { effect, ...request }: VaultCallRequest,
): Promise<Transaction> {
  const key = { kind: effect.kind, chainId, effect: effectOf(effect) }
  const call = { ...request, account, to: vault }
  const transaction = await requestTransaction(db, { ...key, ...call })
  // As it is wanted now: a tampered row may describe another call, or none.
  if (isLost(transaction, account, { chainId, vault }))
    await takeOverTransaction(db, transaction, call)
  else if (!transaction.isNew && isOver(transaction)) await reopenTransaction(db, transaction, call)
  return transaction
}
