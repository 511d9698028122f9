import type pg from 'pg'
import type { SenderContext } from './sender.ts'
import { markWaiting } from './senderStore.ts'
import type { Transaction } from './transaction.ts'

/** Writes down what a transaction waits for, and says so if it is news: passes are made every second. */
export async function recordWaiting(
  context: SenderContext,
  db: pg.ClientBase,
  transaction: Transaction,
  { problem, detail }: { problem: string; detail: string },
): Promise<void> {
  await markWaiting(db, transaction.id, problem, detail)
  if (transaction.problem !== problem) {
    context.onEvent({ type: 'waits', transaction, problem, detail })
  }
}
