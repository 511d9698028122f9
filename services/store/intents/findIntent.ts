import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import {
  type IntentKey,
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
  const { rows } = await findCandidatesQuery(intentIds).execute(db)
  return rows.map(toStoredIntent)
}

/** The statement of `findAllCandidates`. */
export function findCandidatesQuery(intentIds: readonly bigint[]) {
  // Naming the chains lets the primary key serve.
  const page = sql`select * from cairn.intent where intent_id = any(${intentIds.map(String)}::numeric[])
    and source_chain_id = any(array(select chain_id from app.projection where active))`
  return storedIntentsQuery(page, sql`order by intent.source_chain_id, intent.intent_id`, true)
}

/** The intents with these keys, in no particular order; absent ones are left out. */
export async function loadIntents(
  db: Db,
  keys: readonly IntentKey[],
  options: { withEvents?: boolean } = {},
): Promise<StoredIntent[]> {
  if (keys.length === 0) return []
  const { rows } = await loadIntentsQuery(keys, options).execute(db)
  return rows.map(toStoredIntent)
}

/** The statement of `loadIntents`. */
export function loadIntentsQuery(
  keys: readonly IntentKey[],
  { withEvents = false }: { withEvents?: boolean } = {},
) {
  const chains = keys.map((key) => key.sourceChainId)
  const ids = keys.map((key) => String(key.intentId))
  // Forces the primary key: just after a start the planner has no statistics for the table.
  const page = sql`select intent.* from
    (select distinct * from unnest(${chains}::bigint[], ${ids}::numeric[]) as requested (chain, id)) as requested
    cross join lateral (select * from cairn.intent
      where source_chain_id = requested.chain and intent_id = requested.id offset 0) as intent`
  return storedIntentsQuery(page, sql``, withEvents)
}
