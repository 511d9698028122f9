import { classifyRefusals, type Refusal } from './classifyRefusals.ts'
import { RefusedError } from './nodes.ts'
import { recordWaiting } from './recordOutcome.ts'
import type { Pass, SenderContext } from './senderContext.ts'
import { markSent, type Version } from './senderStore.ts'
import type { Transaction } from './transaction.ts'

/** Signed bytes, and the transaction they are a version of. */
type ToSend = { transaction: Transaction; version: Version }

/**
 * Sends signed bytes, all at once. The same bytes have the same hash, so sending them twice has one
 * effect.
 *
 * @returns what the nodes say of each; `taken` also if they knew them
 * @throws LeaseLostError when another process may be sending by now
 */
export async function sendVersions(
  pass: Pick<Pass, 'context' | 'db'>,
  requested: readonly ToSend[],
): Promise<Refusal[]> {
  if (requested.length === 0) return []
  const { context, db } = pass
  context.requireLead()
  const answers = await Promise.all(requested.map(({ version }) => broadcast(context, version)))
  const taken = requested.filter((_, at) => answers[at]?.is === 'taken')
  for (const { transaction } of taken) context.onPhase('sent', transaction)
  await markSent(db, taken)
  for (const { transaction, version } of taken) {
    context.onEvent({ type: 'sent', transaction, hash: version.hash })
  }
  for (const [at, { transaction }] of requested.entries()) {
    const answer = answers[at]
    if (answer && 'problem' in answer) await recordWaiting(pass, transaction, answer)
  }
  return answers
}

async function broadcast({ nodes }: SenderContext, { raw }: Version): Promise<Refusal> {
  try {
    await nodes.broadcast(raw)
    return { is: 'taken' }
  } catch (error) {
    return classifyRefusals(error instanceof RefusedError ? error.refusals : [error])
  }
}
