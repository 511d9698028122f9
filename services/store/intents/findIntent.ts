import { sql } from 'kysely'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { Db } from '../database/database.ts'
import {
  type IntentKey,
  requestedIntents,
  type StoredIntent,
  storedIntentsQuery,
  toStoredIntent,
} from './storedIntent.ts'

/** The same id was found on several source chains, and the caller didn't say which one it means. */
export class AmbiguousIntentError extends Error {
  override name = 'AmbiguousIntentError'
  /** Source chain ids on which the id exists. */
  readonly candidates: readonly number[]

  constructor(candidates: readonly number[]) {
    super(`the intent id exists on chains ${candidates.join(' and ')}`)
    this.candidates = candidates
  }
}

/**
 * The intent that is meant among all that share an id; null when there is none.
 *
 * @param sourceChainId needed only when two chains have the id
 * @throws AmbiguousIntentError when they have and it wasn't given
 */
export function chooseIntent(
  candidates: readonly StoredIntent[],
  sourceChainId?: number,
): StoredIntent | null {
  const meant = candidates.filter(
    ({ source }) => sourceChainId === undefined || source.sourceChainId === sourceChainId,
  )
  if (meant.length > 1) throw new AmbiguousIntentError(meant.map((one) => one.source.sourceChainId))
  return meant[0] ?? null
}

/** Every intent with this id, ordered by source chain: one at most, unless chains were misconfigured. */
export function findCandidates(db: Db, intentId: bigint): Promise<StoredIntent[]> {
  return findAllCandidates(db, [intentId])
}

/** The same for several ids with one statement, ordered by source chain and then by id. */
export async function findAllCandidates(
  db: Db,
  intentIds: readonly bigint[],
): Promise<StoredIntent[]> {
  // Naming the chains lets the primary key serve.
  const page = sql`select * from cairn.intent where intent_id = any(${intentIds.map(String)}::numeric[])
    and source_chain_id = any(array(select chain_id from app.projection where active))`
  const order = sql`order by intent.source_chain_id, intent.intent_id`
  const { rows } = await storedIntentsQuery(page, order, true).execute(db)
  return rows.map(toStoredIntent)
}

/** The intents with these keys, in no particular order; absent ones are left out. */
export async function loadIntents(
  db: Db,
  keys: readonly IntentKey[],
  { withEvents = false }: { withEvents?: boolean } = {},
): Promise<StoredIntent[]> {
  if (keys.length === 0) return []
  // Forces the primary key: just after a start the planner has no statistics for the table.
  const page = sql`select intent.* from ${requestedIntents(keys)} cross join lateral (
    select * from cairn.intent
    where source_chain_id = requested.chain and intent_id = requested.id offset 0) as intent`
  const { rows } = await storedIntentsQuery(page, sql``, withEvents).execute(db)
  return rows.map(toStoredIntent)
}

/** Intents that one transaction can touch and still be answered for. */
const MOST = 20

/**
 * The intents that a transaction is about, whichever of their hashes it is (creation, anchor, bid,
 * deposit, delivery, settlement, cancellation, refund): usually one, at most 20, by chain and id.
 *
 * @param transactionHash in lower case
 */
export async function findIntentKeys(db: Db, transactionHash: Hex): Promise<IntentKey[]> {
  const { rows } = await sql<IntentKey>`
    select distinct source_chain_id as "sourceChainId", intent_id as "intentId" from cairn.event
    where transaction_hash = ${transactionHash} and intent_id is not null
    order by 1, 2 limit ${MOST}`.execute(db)
  return rows
}

/** Who took part in an intent that a reorg took back; null where nobody is known. */
type VanishedIntent = IntentKey & { sender: Hex | null; solver: Hex | null }

/** The intents among these that orphaned events are about. */
export async function vanishedIntents(
  db: Db,
  keys: readonly IntentKey[],
): Promise<VanishedIntent[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<VanishedIntent>`
    select requested.chain as "sourceChainId", requested.id as "intentId",
      max(o.args ->> 'user') filter (where o.type = 'IntentCreated') as sender,
      max(o.args ->> 'solver') filter (where o.type = 'SolverDeposited') as solver
    from ${requestedIntents(keys)} join app.orphaned_event o
      on o.source_chain_id = requested.chain and o.intent_id = requested.id and o.restored_at is null
    group by 1, 2`.execute(db)
  return rows
}
