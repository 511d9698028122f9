import type { Transaction } from '../../chain/transactions/transactionRow.ts'
import { chainOf, type SolverContext } from '../solverContext.ts'
import { findFillDeadline } from './intentJournal.ts'
import { parseEffect } from './transactionJournal.ts'

/**
 * Whether an unmined delivery should be cancelled: from half the policy's safety margin before the deadline, by the
 * destination's latest block. After the deadline it would revert and waste its gas.
 */
export async function shouldCancelDelivery(
  solver: Pick<SolverContext, 'db' | 'account' | 'chains' | 'policy'>,
  transaction: Pick<Transaction, 'kind' | 'effect' | 'chainId'>,
): Promise<boolean> {
  if (transaction.kind !== 'deliver') return false
  const intent = parseEffect(transaction.effect)
  const [deadline, block] = await Promise.all([
    findFillDeadline(solver.db, solver.account.address, intent),
    chainOf(solver, transaction.chainId).client.getBlock(),
  ])
  const safety = Math.ceil(solver.policy().deliverySafetySeconds / 2)
  return deadline === null || Number(block.timestamp) + safety >= deadline
}
