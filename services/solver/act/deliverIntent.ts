import type { Hex } from 'viem'
import { computeDeliveryKey } from '../../../core/proof/storage/deliveryRecord.ts'
import { readAgreedAnswer } from '../chain/readAgreedAnswer.ts'
import { readDeliveries } from '../chain/readDeliveries.ts'
import { findDeliveryKey, recordDeliveryKey, recordIntent } from '../journal/intentJournal.ts'
import {
  type Call,
  effectKey,
  findTransactionHash,
  requestSolverTransaction,
} from '../journal/transactionJournal.ts'
import type { IntentSnapshot } from '../plan/solverSnapshot.ts'
import { chainOf, type SolverContext } from '../solverContext.ts'
import { crossCheckIntentTerms } from './crossCheckIntentTerms.ts'
import { encodeDeliverCall } from './encodeDeliverCall.ts'
import { fetchRecipients } from './fetchRecipients.ts'
import { RecipientsRefused } from './requireRevealSignatures.ts'

/**
 * Fetches the recipients and requests the delivery. One that is on chain already, but missing from our database,
 * is only recorded.
 */
export async function deliverIntent(solver: SolverContext, intent: IntentSnapshot): Promise<void> {
  const { account, db, events } = solver
  // The transaction's sender reads the deadline from this record, so it comes before any payment.
  await recordIntent(db, account.address, intent, { phase: 'delivering' })
  const payees = await fetchRecipients(solver, intent)
  await crossCheckIntentTerms(solver, intent)
  const key = computeDeliveryKey({ ...intent, ...payees, solver: account.address })
  if (await isDelivered(solver, intent, key)) {
    await recordDeliveryKey(db, account, intent, key)
    return
  }
  const { bridge } = chainOf(solver, intent.destChainId)
  const call = { to: bridge, data: encodeDeliverCall(intent, payees) }
  if (await requestDelivery(solver, intent, key, call))
    events.delivering(intent, payees.recipients.length)
}

/**
 * Requests a delivery and records its key, in one database transaction. While one is pending its key stays: under
 * another we would not see it on chain, and pay a second time.
 *
 * @returns whether it was requested now
 */
export function requestDelivery(
  { account, db }: Pick<SolverContext, 'account' | 'db'>,
  intent: IntentSnapshot,
  key: Hex,
  call: Call,
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const effect = effectKey.intent('deliver', intent, intent.amountB)
    const isNew = await requestSolverTransaction(transaction, account, effect, call)
    if (isNew) await recordDeliveryKey(transaction, account, intent, key)
    return isNew
  })
}

/**
 * Whether a delivery is on its chain.
 *
 * @throws RecipientsRefused when we have already paid other recipients, by the chain or by our own record:
 *   recipients never change, so this would be a second payment
 */
async function isDelivered(
  solver: SolverContext,
  intent: IntentSnapshot,
  key: Hex,
): Promise<boolean> {
  const { account, db } = solver
  const destination = chainOf(solver, intent.destChainId)
  const recorded = (await findDeliveryKey(db, account, intent.intentId)) ?? key
  // A single node could keep us from ever delivering.
  const [id = 0n, recordedId = 0n] = await readAgreedAnswer(destination, async (at) =>
    readDeliveries(at, [key, recorded], await at.client.getBlockNumber()),
  )
  if (id !== 0n || recorded === key) return id !== 0n
  const paid = await findTransactionHash(db, effectKey.intent('deliver', intent, intent.amountB))
  if (recordedId !== 0n || paid !== null)
    throw new RecipientsRefused('the recipients differ from those already paid')
  return false
}
