import type pg from 'pg'
import { allEnded } from '../../process/inParallel.ts'
import { chainView } from './chainView.ts'
import { checkInclusion } from './checkInclusion.ts'
import { recordWaiting } from './recordOutcome.ts'
import { hasWaited } from './replaceTransaction.ts'
import { sendAgain } from './sendAgain.ts'
import type { ChainView, Pass, SenderContext } from './senderContext.ts'
import { loadUnderway, readProgress, requestFilling, type Underway } from './senderStore.ts'
import { signPending, tryPending } from './signPending.ts'

/** What a pass found, for `/health` and metrics. */
export type PassReport = {
  /** Wei of the chain's own currency. */
  balance: bigint
  /** Transactions that wait because the balance doesn't cover their gas. */
  outOfGas: number
  /** Transactions that a sender still looks after. */
  live: number
  /** The code of what keeps the first in line, and so all others, out of blocks; null: nothing. */
  waitsFor: string | null
}

/**
 * Advances an account's transactions on one chain as far as possible now: looks for those in blocks,
 * sends those that are signed, signs those that are requested. Everything it knows is in the
 * database and on the chain, so it can end at any point and be run again.
 *
 * @param db the connection that holds the account's lock
 * @throws what kept the chain's nodes or the database from answering
 */
export async function runSenderPass(
  context: SenderContext,
  db: pg.ClientBase,
): Promise<PassReport> {
  const { account, chainId } = context
  const view = await viewChain(context)
  const pass = { context, db, view }
  const underway = await loadUnderway(db, account, chainId)
  // In parallel: each waits for its round trip to a node.
  const [tried] = await allEnded([tryPending(pass, underway), lookAfter(pass, underway)])
  const outOfGas = await signPending(pass, tried)
  const { live, waitsFor } = await readProgress(db, account, chainId)
  return { balance: view.balance, outOfGas, live: live + outOfGas, waitsFor }
}

/** What has a nonce already. */
async function lookAfter(pass: Pass, underway: readonly Underway[]): Promise<void> {
  const { context, db } = pass
  const hasChanged = await checkInclusion(pass, underway)
  const { account, chainId } = context
  const now = hasChanged ? await loadUnderway(db, account, chainId) : underway
  const open = now.filter(({ state }) => state !== 'mined')
  await sendAgain(pass, open)
  await fillGap(pass, open)
}

/**
 * Transactions behind a nonce that nobody holds would wait for ever, for example after a restore from
 * a backup, so an empty transfer to oneself takes that nonce. A foreign transaction that waits there,
 * sent with the same key or before the database was lost, gets some time; then it is outbid.
 */
async function fillGap(pass: Pass, open: readonly Underway[]): Promise<void> {
  const { context, db, view } = pass
  const { account, chainId } = context
  const [lowest] = open
  const [first] = lowest?.versions ?? []
  if (!lowest || !first || lowest.nonce <= view.next) return
  const isForeign = view.pending > view.next
  if (isForeign && !hasWaited(context, view, first)) return
  if (isForeign) {
    const detail = `a transaction that isn’t ours holds nonce ${view.next} and no block takes it`
    await recordWaiting(pass, lowest, { problem: 'NONCE_BLOCKED', detail })
  }
  await requestFilling(db, account, chainId, view.next)
}

async function viewChain({ nodes, account, spent }: SenderContext): Promise<ChainView> {
  const [reports, fees] = await Promise.all([nodes.look(account), nodes.priorityFees()])
  return chainView(reports, fees, spent.count)
}
