import { sql } from 'kysely'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { arrayParameter } from '../database/columnSql.ts'
import type { Db } from '../database/openDatabase.ts'
import {
  type IntentKey,
  requestedIntents,
  type StoredIntent,
  storedIntentsQuery,
  toStoredIntent,
} from './storedIntent.ts'

/** Several source chains have the id, and the caller named none of them. */
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
 * Chooses among intents that share an id; null if there is none.
 *
 * @param sourceChainId needed only if two chains have the id
 * @throws AmbiguousIntentError if they have and it is missing
 */
export function chooseIntent(
  candidates: readonly StoredIntent[],
  sourceChainId?: number,
): StoredIntent | null {
  const matches = candidates.filter(
    ({ source }) => sourceChainId === undefined || source.sourceChainId === sourceChainId,
  )
  if (matches.length > 1)
    throw new AmbiguousIntentError(matches.map((one) => one.source.sourceChainId))
  return matches[0] ?? null
}

/** Finds every intent with this id, by source chain: at most one, unless chains are misconfigured. */
export function findCandidates(db: Db, intentId: bigint): Promise<StoredIntent[]> {
  return findAllCandidates(db, [intentId])
}

/** Finds every intent with these ids, by source chain, then id. One statement. */
export async function findAllCandidates(
  db: Db,
  intentIds: readonly bigint[],
): Promise<StoredIntent[]> {
  // Listing the chains lets the primary key be used.
  const ids = arrayParameter(intentIds.map(String), 'numeric')
  const page = sql`select * from cairn.intent where intent_id = any(${ids}::numeric[])
    and source_chain_id = any(array(select chain_id from app.projection where active))`
  const order = sql`order by intent.source_chain_id, intent.intent_id`
  const { rows } = await storedIntentsQuery(page, order, true).execute(db)
  return rows.map(toStoredIntent)
}

/** Loads the intents with these keys, in no particular order, without absent ones. */
export async function loadIntents(
  db: Db,
  keys: readonly IntentKey[],
  { withEvents = false }: { withEvents?: boolean } = {},
): Promise<StoredIntent[]> {
  if (keys.length === 0) return []
  // `offset 0` forces the primary key: right after a start the planner has no statistics.
  const page = sql`select intent.* from ${requestedIntents(keys)} cross join lateral (
    select * from cairn.intent
    where source_chain_id = requested.chain and intent_id = requested.id offset 0) as intent`
  const { rows } = await storedIntentsQuery(page, sql``, withEvents).execute(db)
  return rows.map(toStoredIntent)
}

/** Limit on the intents of one transaction. */
const LIMIT = 20

/**
 * Finds the intents with an event in a transaction (creation, anchor, bid, deposit, delivery, settlement, cancellation,
 * refund): usually one, at most 20, by chain and id.
 *
 * @param transactionHash in lower case
 */
export async function findIntentKeys(db: Db, transactionHash: Hex): Promise<IntentKey[]> {
  const { rows } = await sql<IntentKey>`
    select distinct source_chain_id as "sourceChainId", intent_id as "intentId" from cairn.event
    where transaction_hash = ${transactionHash} and intent_id is not null
    order by 1, 2 limit ${LIMIT}`.execute(db)
  return rows
}

/** An intent that a reorg removed, with its sender and winner, if known. */
type VanishedIntent = IntentKey & { sender: Hex | null; solver: Hex | null }

/** Finds which of these intents have orphaned events. */
export async function findVanishedIntents(
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
