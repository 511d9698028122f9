import type pg from 'pg'
import { BaseError } from 'viem'
import type { SenderContext } from './sender.ts'
import { markSent, markWaiting, type Version } from './senderStore.ts'
import type { Transaction } from './transaction.ts'

/** What became of sending: a node has it; it pays too little to replace another; it must wait. */
export type SendOutcome = 'taken' | 'underpriced' | 'waits'

/** Sends signed bytes. The same bytes have the same hash, so sending them twice does nothing twice. */
export async function sendVersion(
  context: SenderContext,
  db: pg.ClientBase,
  transaction: Transaction,
  { raw, hash }: Version,
): Promise<SendOutcome> {
  const answer = await context.broadcast(raw).then(
    () => 'taken' as const,
    (error: unknown) => meaningOf(error),
  )
  if (answer === 'taken') {
    context.onPhase('sent', transaction)
    await markSent(db, transaction.id, hash)
    context.tell({ type: 'sent', transaction, hash })
    return 'taken'
  }
  // One of our versions, or somebody else's transaction, is in a block: the next pass finds out.
  if (answer === 'spent') return 'waits'
  if (answer === 'underpriced') return 'underpriced'
  await markWaiting(db, transaction.id, answer.problem, answer.detail)
  context.tell({ type: 'waits', transaction, ...answer })
  return 'waits'
}

type Meaning = 'taken' | 'spent' | 'underpriced' | { problem: string; detail: string }

/** What a node's refusal means. Nodes differ in their words and agree in their sense. */
function meaningOf(error: unknown): Meaning {
  const words = error instanceof BaseError ? `${error.details} ${error.message}` : String(error)
  if (/already known|already imported|known transaction/i.test(words)) return 'taken'
  if (/nonce (is )?too low|nonce.*lower than/i.test(words)) return 'spent'
  if (/underpriced|fee too low|below base ?fee|less than block base fee/i.test(words))
    return 'underpriced'
  const detail = error instanceof BaseError ? error.shortMessage : 'it could not be sent'
  if (/insufficient funds/i.test(words)) return { problem: 'OUT_OF_GAS', detail }
  return { problem: 'NOT_TAKEN', detail }
}
