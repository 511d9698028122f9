import type pg from 'pg'
import { RefusedError } from './nodes.ts'
import { meaningOf, type Refusal } from './refusal.ts'
import type { SenderContext } from './sender.ts'
import { markSent, type Version } from './senderStore.ts'
import { tellWaiting } from './tellWaiting.ts'
import type { Transaction } from './transaction.ts'

/**
 * Sends signed bytes. The same bytes have the same hash, so sending them twice does nothing twice.
 *
 * @returns what the nodes say; `taken` also if they knew them
 * @throws LeaseLostError when another process may be sending by now
 */
export async function sendVersion(
  context: SenderContext,
  db: pg.ClientBase,
  transaction: Transaction,
  { raw, hash }: Version,
): Promise<Refusal> {
  context.requireLead()
  const answer = await context.nodes.broadcast(raw).then(
    (): Refusal => ({ is: 'taken' }),
    (error: unknown) => meaningOf(error instanceof RefusedError ? error.refusals : [error]),
  )
  if (answer.is === 'taken') {
    context.onPhase('sent', transaction)
    await markSent(db, transaction.id, hash)
    context.tell({ type: 'sent', transaction, hash })
  } else if ('problem' in answer) {
    await tellWaiting(context, db, transaction, answer)
  }
  return answer
}
