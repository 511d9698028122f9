import type pg from 'pg'
import type { SenderContext } from './senderContext.ts'
import { markWaiting } from './senderStore.ts'
import type { Transaction } from './transaction.ts'

/** Records what a transaction waits for, and logs it only if it changed: passes run every second. */
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
