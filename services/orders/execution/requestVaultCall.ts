import { concat, getAbiItem, numberToHex, toFunctionSelector } from 'viem'
import { orderVaultAbi } from '../../../src/event/abi/orderVault.ts'
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

/**
 * The latest transaction requested for an effect; null when there is none, or it is lost.
 *
 * @param account null: another account's isn't lost
 */
export async function findVaultCall(
  { db, account }: Pick<Payer, 'db'> & { account: Payer['account'] | null },
  place: Place,
  effect: VaultEffect,
): Promise<Transaction | null> {
  const key = { kind: effect.kind, chainId: place.chainId, effect: effectOf(effect) }
  const found = await findTransaction(db, key)
  return found !== null && isLost(found, account ?? found.account, place, effect) ? null : found
}

/**
 * Whether a row asks for a call that somebody else wrote, or is pending for another account, such as from before a root
 * rotation: it may never be sent, and its step would never be taken.
 */
function isLost(row: Transaction, account: string, { vault }: Place, effect: VaultEffect): boolean {
  const isOurs = row.account === account.toLowerCase()
  const isCall = row.to === vault.toLowerCase() && row.value === 0n
  return !(isCall && isCallOf(effect, row.data)) || !(isOver(row) || isOurs)
}

const SELECTORS = {
  fundOrder: selectorOf('fundOrder'),
  fireTranche: selectorOf('fireTranche'),
  closeOrder: selectorOf('closeOrderSigned'),
}

function selectorOf(name: 'fundOrder' | 'fireTranche' | 'closeOrderSigned'): Hex {
  return toFunctionSelector(getAbiItem({ abi: orderVaultAbi, name }))
}

/** Whether calldata is an effect's own. A funding names its order only as its ciphertext. */
function isCallOf({ kind, ...of }: VaultEffect, data: Hex): boolean {
  const n = 'n' in of ? numberToHex(of.n, { size: 32 }) : '0x'
  const start = kind === 'fundOrder' ? SELECTORS[kind] : concat([SELECTORS[kind], of.orderId, n])
  return data.toLowerCase().startsWith(start.toLowerCase())
}

/** The latest close that was requested of an order: its owner's cancel counts whichever account was to send it. */
export function findClose({ db }: Pick<Payer, 'db'>, place: Place, orderId: Hex) {
  return findVaultCall({ db, account: null }, place, { kind: 'closeOrder', orderId })
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
  if (isLost(transaction, account, { chainId, vault }, effect))
    await takeOverTransaction(db, transaction, call)
  else if (!transaction.isNew && isOver(transaction)) await reopenTransaction(db, transaction, call)
  return transaction
}
