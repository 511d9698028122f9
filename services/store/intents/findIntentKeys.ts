import { sql } from 'kysely'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { Db } from '../database/database.ts'
import type { IntentKey } from './storedIntent.ts'

/** Intents that one transaction can touch and still be answered for. */
const MOST = 20

/**
 * The intents that a transaction is about, whichever of their hashes it is (creation, anchor, bid,
 * deposit, delivery, settlement, cancellation, refund): usually one, at most 20, by chain and id.
 *
 * @param transactionHash in lower case
 */
export async function findIntentKeys(db: Db, transactionHash: Hex): Promise<IntentKey[]> {
  const { rows } = await findIntentKeysQuery(transactionHash).execute(db)
  return rows
}

/** The statement of `findIntentKeys`. */
export function findIntentKeysQuery(transactionHash: Hex) {
  return sql<IntentKey>`
    select distinct source_chain_id as "sourceChainId", intent_id as "intentId" from cairn.event
    where transaction_hash = ${transactionHash} and intent_id is not null
    order by 1, 2 limit ${MOST}`
}
