import { sql } from 'kysely'
import type { Status } from '../../../core/intent/status.ts'
import { type Aged, StaleWhileRevalidate } from '../cache/staleWhileRevalidate.ts'
import type { ChainHeads } from '../chains/readChainStates.ts'
import type { Db } from '../database/openDatabase.ts'
import { countIntents } from './countIntents.ts'

type StatusCounts = Readonly<Record<Status, number>>

/** Milliseconds for which counts are fresh, and for which they may be used while they are renewed. */
const LIFE = { freshFor: 15_000, keptFor: 120_000 }

const CACHES = new WeakMap<Db, StaleWhileRevalidate<StatusCounts>>()

/**
 * Counts intents by status. The result is up to two minutes old, since delivered intents that were never settled accumulate
 * and have to be counted.
 */
export function countStatuses(db: Db, heads: ChainHeads): Promise<Aged<StatusCounts>> {
  const cache = CACHES.get(db) ?? new StaleWhileRevalidate<StatusCounts>(LIFE)
  CACHES.set(db, cache)
  return cache.get(() => readStatusCounts(db, heads))
}

/**
 * The reducer counts intents that an event has ended. Those that time has ended are the remainder once the active ones are
 * counted.
 */
async function readStatusCounts(db: Db, heads: ChainHeads): Promise<StatusCounts> {
  const [ended, pending, solving, settled] = await Promise.all([
    readEnded(db),
    countIntents(db, { statuses: ['pending'] }, heads),
    countIntents(db, { statuses: ['solving'] }, heads),
    countIntents(db, { statuses: ['settled'] }, heads),
  ])
  const { created, completed, cancelled, expired, failed, wins } = ended
  const deposited = wins - completed - failed
  const unsold = created - wins - cancelled - expired
  return {
    pending,
    solving,
    settled,
    completed,
    failed: failed + Math.max(deposited - solving - settled, 0),
    expired: expired + Math.max(unsold - pending, 0),
    cancelled,
  }
}

type Ended = Record<'created' | 'completed' | 'cancelled' | 'expired' | 'failed' | 'wins', number>

async function readEnded(db: Db): Promise<Ended> {
  const { rows } = await sql<Ended>`select
      coalesce(sum(created), 0)::bigint as created, coalesce(sum(completed), 0)::bigint as completed,
      coalesce(sum(cancelled), 0)::bigint as cancelled, coalesce(sum(expired), 0)::bigint as expired,
      coalesce(sum(failed), 0)::bigint as failed,
      (select coalesce(sum(wins), 0)::bigint from cairn.solver_record) as wins
    from cairn.pair_day`.execute(db)
  return rows[0] as Ended
}
