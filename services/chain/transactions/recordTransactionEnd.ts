import { type End, markOver, markWaiting } from './markTransactions.ts'
import type { Pass } from './senderContext.ts'
import type { Transaction } from './transactionRow.ts'

/** Records why a transaction waits. Reports it only if it changed, since passes run every second. */
export async function recordTransactionWaiting(
  { context, db }: Pick<Pass, 'context' | 'db'>,
  transaction: Transaction,
  { problem, detail }: { problem: string; detail: string },
): Promise<void> {
  await markWaiting(db, transaction.id, problem, detail)
  if (transaction.problem !== problem) {
    context.onEvent({ type: 'waits', transaction, problem, detail })
  }
}

/** Ends a transaction without its effect. */
export async function recordTransactionEnd(
  { context, db }: Pick<Pass, 'context' | 'db'>,
  transaction: Transaction,
  end: End,
): Promise<void> {
  await markOver(db, transaction.id, end)
  context.onEvent({ type: end.state, transaction, problem: end.problem })
}
