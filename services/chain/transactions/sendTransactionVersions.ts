import { RefusedError } from './chainNodes.ts'
import { type BroadcastResult, classifyBroadcastErrors } from './classifyBroadcastErrors.ts'
import { markSent } from './markTransactions.ts'
import { recordTransactionWaiting } from './recordTransactionEnd.ts'
import type { Pass, SenderContext } from './senderContext.ts'
import type { Transaction } from './transactionRow.ts'
import type { Version } from './transactionStore.ts'

/** Signed bytes, and the transaction they belong to. */
type VersionToSend = { transaction: Transaction; version: Version }

/**
 * Sends signed bytes, all at once. Sending the same bytes twice has one effect, since they have the same hash.
 *
 * @returns the nodes' result for each; `accepted` also if they had it already
 * @throws when another process may be sending by now
 */
export async function sendTransactionVersions(
  pass: Pick<Pass, 'context' | 'db'>,
  requested: readonly VersionToSend[],
): Promise<BroadcastResult[]> {
  if (requested.length === 0) return []
  const { context, db } = pass
  context.requireLease()
  const results = await Promise.all(requested.map(({ version }) => broadcast(context, version)))
  const accepted = requested.filter((_, index) => results[index]?.kind === 'accepted')
  for (const { transaction } of accepted) context.onPhase('sent', transaction)
  await markSent(db, accepted)
  for (const { transaction, version } of accepted) {
    context.onEvent({ type: 'sent', transaction, hash: version.hash })
  }
  for (const [index, { transaction }] of requested.entries()) {
    const result = results[index]
    if (result && 'problem' in result) await recordTransactionWaiting(pass, transaction, result)
  }
  return results
}

async function broadcast({ nodes }: SenderContext, { raw }: Version): Promise<BroadcastResult> {
  try {
    await nodes.broadcast(raw)
    return { kind: 'accepted' }
  } catch (error) {
    return classifyBroadcastErrors(error instanceof RefusedError ? error.refusals : [error])
  }
}
