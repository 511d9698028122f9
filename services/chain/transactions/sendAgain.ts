import type pg from 'pg'
import { type Hash, TransactionNotFoundError } from 'viem'
import { bumpedFees } from './fees.ts'
import { isDoneAlready } from './isDoneAlready.ts'
import type { ChainView, SenderContext } from './sender.ts'
import { markOver, markWaiting, type Underway, type Version } from './senderStore.ts'
import { sendVersion } from './sendVersion.ts'
import { signVersion } from './signVersion.ts'
import { simulateCall, tryTransaction } from './simulateCall.ts'

/** Gas of a transfer of nothing to oneself. */
const CANCEL_GAS = 21_000n

/**
 * Sends what is signed and not in a block: what no node has taken yet at once, the rest again from
 * time to time, in case it was dropped. The first in line is replaced at higher fees when no block
 * takes it; the others wait for it.
 */
export async function sendAgain(
  context: SenderContext,
  db: pg.ClientBase,
  view: ChainView,
  underway: readonly Underway[],
): Promise<void> {
  for (const transaction of underway) {
    const newest = transaction.versions.at(-1)
    // Past the chain's count: one of its versions is in a block, the next pass finds which.
    if (!newest || transaction.nonce < view.next) continue
    const isFirst = transaction.nonce === view.next
    // Also if no node is known to have it: the process may have ended just after it was sent.
    if (!newest.isCancel && (await context.isStale(transaction))) {
      await replace(context, db, view, transaction, newest)
      continue
    }
    if (newest.sentAt === null || isOlder(newest.sentAt, context.resendAfterMs)) {
      if (await wasGivenUp(context, db, view, transaction, underway)) continue
      const outcome = await sendVersion(context, db, transaction, newest)
      if (outcome === 'underpriced') await replace(context, db, view, transaction, newest)
    } else if (isFirst && isOlder(newest.signedAt, context.bumpAfterMs)) {
      await replace(context, db, view, transaction, newest)
    }
  }
}

/**
 * A transaction that no node has (any more) and that would revert by now is not sent: nobody pays for
 * a failure that is known. Its nonce goes to the next one, unless others behind it wait for it to be
 * used: then a cancellation uses it.
 */
async function wasGivenUp(
  context: SenderContext,
  db: pg.ClientBase,
  view: ChainView,
  transaction: Underway,
  underway: readonly Underway[],
): Promise<boolean> {
  const newest = transaction.versions.at(-1)
  if (!newest || newest.isCancel) return false
  const simulated = await simulateCall(context, transaction)
  if (simulated.outcome !== 'reverts') return false
  for (const { hash, sentAt } of transaction.versions) {
    if (sentAt !== null && (await isKnown(context, hash))) return false
  }
  if (underway.some(({ nonce }) => nonce > transaction.nonce)) {
    await replace(context, db, view, transaction, newest)
    return true
  }
  const state = isDoneAlready(transaction.kind, simulated) ? 'superseded' : 'failed'
  await markOver(db, transaction.id, state, simulated.error, simulated.detail)
  context.tell({ type: state, transaction, problem: simulated.error })
  return true
}

async function isKnown({ client }: SenderContext, hash: Hash): Promise<boolean> {
  try {
    await client.getTransaction({ hash })
    return true
  } catch (error) {
    if (error instanceof TransactionNotFoundError) return false
    throw error
  }
}

function isOlder(moment: Date, ms: number): boolean {
  return Date.now() - moment.getTime() >= ms
}

/** A version of the same nonce that pays more; if the call would revert by now, one that does nothing. */
async function replace(
  context: SenderContext,
  db: pg.ClientBase,
  view: ChainView,
  transaction: Underway,
  newest: Version,
): Promise<void> {
  const fees = bumpedFees(newest, view.market, context.maxFeePerGas)
  if (!fees) {
    const detail = `block space costs more than ${context.maxFeePerGas} wei for each gas`
    await markWaiting(db, transaction.id, 'FEE_CAP', detail)
    return context.tell({ type: 'waits', transaction, problem: 'FEE_CAP', detail })
  }
  const simulated = newest.isCancel ? null : await tryTransaction(context, transaction)
  const isCancel = newest.isCancel || simulated?.outcome === 'reverts'
  const gas = simulated?.outcome === 'succeeds' ? simulated.gas : newest.gasLimit
  const version = await signVersion(context, db, transaction, {
    ...fees,
    nonce: transaction.nonce,
    gas: isCancel ? CANCEL_GAS : gas,
    isCancel,
  })
  if ('problem' in version) {
    await markWaiting(db, transaction.id, version.problem, version.detail)
    return context.tell({ type: 'waits', transaction, ...version })
  }
  const type = isCancel ? 'cancelled' : 'replaced'
  context.tell({ type, transaction, hash: version.hash, nonce: transaction.nonce })
  await sendVersion(context, db, transaction, version)
}
