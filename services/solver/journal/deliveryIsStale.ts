import type { Transaction } from '../../chain/transactions/transaction.ts'
import { chainOf, type Solver } from '../solver.ts'
import { fillDeadlineOf } from './journal.ts'
import { intentOfEffect } from './liveTransactions.ts'

/**
 * Whether a delivery isn't in a block and shouldn't come into one any more: half of the policy's safety
 * before the deadline, by the destination's latest block. Later the contract would refuse a delivery that
 * nobody pays for, at the price of its gas.
 */
export async function deliveryIsStale(
  solver: Pick<Solver, 'db' | 'account' | 'chains' | 'policy'>,
  transaction: Pick<Transaction, 'kind' | 'effect' | 'chainId'>,
): Promise<boolean> {
  if (transaction.kind !== 'deliver') return false
  const intent = intentOfEffect(transaction.effect)
  const [deadline, block] = await Promise.all([
    fillDeadlineOf(solver.db, solver.account.address, intent),
    chainOf(solver, transaction.chainId).client.getBlock(),
  ])
  const safety = Math.ceil(solver.policy().deliverySafetySeconds / 2)
  return deadline === null || Number(block.timestamp) + safety >= deadline
}
