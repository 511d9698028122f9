import type { Hex } from 'viem'
import { deliveryKey } from '../../../core/proof/storage/delivery.ts'
import { readDeliveries } from '../chain/readDeliveries.ts'
import { deliveryKeyOf, noteDelivery, noteIntent } from '../journal/journal.ts'
import { effectKey, wantEffect } from '../journal/liveTransactions.ts'
import type { SeenIntent } from '../plan/snapshot.ts'
import { chainOf, type Solver } from '../solver.ts'
import { agreeOnTerms } from './agreeOnTerms.ts'
import { deliverCall } from './bridgeCalls.ts'
import { RecipientsRefused } from './checkReveal.ts'
import { fetchRecipients } from './fetchRecipients.ts'

/**
 * Fetches whom to pay, and records the delivery with its key. A delivery that is on chain already, but
 * missing from our database, is only recorded.
 */
export async function deliver(solver: Solver, intent: SeenIntent): Promise<void> {
  const { account, db, events } = solver
  // Before any payment: the sender of the transaction must know until when it counts.
  await noteIntent(db, account.address, intent, { phase: 'delivering' })
  const payees = await fetchRecipients(solver, intent)
  await agreeOnTerms(solver, intent)
  const key = deliveryKey({ ...intent, ...payees, solver: account.address })
  const isDelivered = await isPaid(solver, intent, key)
  const to = chainOf(solver, intent.destChainId).bridge
  const call = { to, data: deliverCall(intent, payees) }
  const isNew = await db.transaction().execute(async (all) => {
    await noteDelivery(all, account.address, intent, key)
    const effect = effectKey.intent('deliver', intent, intent.amountB)
    return !isDelivered && wantEffect(all, account, effect, call)
  })
  if (isNew) events.delivering(intent, payees.recipients.length)
}

/**
 * Whether a delivery is on its chain.
 *
 * @throws RecipientsRefused when we have already delivered the intent to others: recipients never change,
 *   so this would be a second payment
 */
async function isPaid(solver: Solver, intent: SeenIntent, key: Hex): Promise<boolean> {
  const { account, db } = solver
  const destination = chainOf(solver, intent.destChainId)
  const before = await deliveryKeyOf(db, account.address, intent.intentId)
  const head = await destination.client.getBlockNumber()
  const [now = 0n, then = 0n] = await readDeliveries(destination, [key, before ?? key], head)
  if (now === 0n && then !== 0n)
    throw new RecipientsRefused('the recipients differ from those already paid')
  return now !== 0n
}
