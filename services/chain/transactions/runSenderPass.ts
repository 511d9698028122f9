import type pg from 'pg'
import { allEnded } from '../../process/mapInParallel.ts'
import { combineViewReports } from './chainViewReports.ts'
import { checkInclusion } from './checkInclusion.ts'
import { markNonceLost } from './markTransactions.ts'
import { recordTransactionWaiting } from './recordTransactionEnd.ts'
import { hasWaited } from './replaceTransaction.ts'
import { resendSigned } from './resendSigned.ts'
import type { ChainView, Pass, SenderContext } from './senderContext.ts'
import { signRequested, simulateRequested } from './signRequested.ts'
import {
  endNoCalls,
  loadSigned,
  readProgress,
  requestGapFill,
  type SignedTransaction,
} from './transactionStore.ts'

/** Result of a pass, for `/health` and metrics. */
export type PassReport = {
  /** The account's balance in wei. */
  balance: bigint
  /** Number of transactions that wait because the balance doesn't cover their gas. */
  outOfGas: number
  /** Number of transactions that haven't ended. */
  live: number
  /** Why the transaction with the lowest nonce, and so every other one, isn't mined; null if nothing is wrong. */
  waitsFor: string | null
}

/**
 * Advances an account's transactions on one chain as far as possible: finds the mined ones, sends the signed ones, signs
 * the requested ones. All its state is in the database and on the chain, so it can stop at any point and run again.
 *
 * @param db the connection that holds the account's lease
 * @throws if the chain's nodes or the database don't answer
 */
export async function runSenderPass(
  context: SenderContext,
  db: pg.ClientBase,
): Promise<PassReport> {
  const { account, chainId } = context
  const view = await viewChain(context)
  const pass = { context, db, view }
  const loaded = await loadSigned(db, account, chainId)
  const signed = loaded.filter((transaction) => !isUnsigned(transaction))
  // Others would wait for their nonces for ever.
  for (const { id } of loaded.filter(isUnsigned)) await markNonceLost(db, id)
  // In parallel, because both wait for round trips to nodes.
  const [simulated] = await allEnded([simulateRequested(pass, signed), advanceSigned(pass, signed)])
  const outOfGas = await signRequested(pass, simulated)
  const { live, waitsFor, noCalls } = await readProgress(db, account, chainId)
  const ended = noCalls > 0 ? await endNoCalls(db, account, chainId) : []
  for (const transaction of ended)
    context.onEvent({ type: 'failed', transaction, problem: 'NOT_A_CALL' })
  return { balance: view.balance, outOfGas, live, waitsFor }
}

/** Whether a row has a nonce without bytes that use it. They are saved together, so someone tampered with it. */
function isUnsigned({ state, versions }: SignedTransaction): boolean {
  return state !== 'mined' && versions.length === 0
}

async function advanceSigned(pass: Pass, signed: readonly SignedTransaction[]): Promise<void> {
  const { context, db, view } = pass
  const hasChanged = await checkInclusion(pass, signed)
  const { account, chainId } = context
  const current = hasChanged ? await loadSigned(db, account, chainId) : signed
  const unmined = current.filter(({ state }) => state !== 'mined')
  await resendSigned(pass, unmined)
  // A node that lags behind our mined transactions, confirmed or not, counts too few: no nonce is missing.
  if (!signed.some(({ nonce }) => nonce === view.next)) await fillNonceGap(pass, unmined)
}

/**
 * Fills an unused nonce below our lowest one with an empty transfer to ourselves. Without it, the transactions above
 * would wait for ever, for example after a restore from a backup. A foreign transaction waiting at that nonce, sent with
 * the same key or before the database was lost, gets `bumpAfterMs` before it is outbid.
 */
async function fillNonceGap(pass: Pass, unmined: readonly SignedTransaction[]): Promise<void> {
  const { context, db, view } = pass
  const { account, chainId } = context
  const [lowest] = unmined
  const [firstVersion] = lowest?.versions ?? []
  if (!lowest || !firstVersion || lowest.nonce <= view.next) return
  const isForeign = view.pending > view.next
  if (isForeign && !hasWaited(context, view, firstVersion)) return
  if (isForeign) {
    const detail = `another program’s transaction with this key has nonce ${view.next} and isn’t mined`
    await recordTransactionWaiting(pass, lowest, { problem: 'NONCE_BLOCKED', detail })
  }
  await requestGapFill(db, account, chainId, view.next)
}

async function viewChain({ nodes, account, progress }: SenderContext): Promise<ChainView> {
  const [reports, fees] = await Promise.all([nodes.viewAccount(account), nodes.priorityFees()])
  return combineViewReports(reports, fees, progress.confirmedCount, nodes.count)
}
