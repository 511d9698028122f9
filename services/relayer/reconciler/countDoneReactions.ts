import { sql } from 'kysely'
import type { Db } from '../../store/database/openDatabase.ts'
import { EFFECT_KINDS } from './reconcilerEffect.ts'

/** Finished reactions of a kind since the first count, and their durations summed. */
type DoneCount = { kind: string; count: number; seconds: number }

/** Seconds from a reaction's `done_at` until it is surely committed. */
const SETTLED_AFTER = 10

/**
 * Counts the reactions done since its first call. Each call reads only those since the previous one: counting all would take
 * longer each month.
 */
export function createDoneReactionsCounter(
  db: Db,
  settledAfter = SETTLED_AFTER,
): () => Promise<DoneCount[]> {
  let countedTo: string | null = null
  const totals = new Map<string, DoneCount>(
    EFFECT_KINDS.map((kind) => [kind, { kind, count: 0, seconds: 0 }]),
  )
  return async () => {
    const { rows } = await sql<{ upTo: string; done: DoneCount[] }>`
      with period as (
        select clock_timestamp() - ${settledAfter} * interval '1 second' as "to")
      select "to"::text as "upTo", (select coalesce(json_agg(by_kind), '[]') from (
        select kind, count(*)::integer as count,
          -- Not below 0: the clock may have been set back meanwhile, or be that of another server after a failover.
          coalesce(sum(greatest(extract(epoch from done_at - wanted_since), 0)) filter (where isfinite(wanted_since)), 0)
            ::double precision as seconds
        from app.reaction
        where state = 'done' and done_at > ${countedTo}::timestamptz and done_at <= period."to" group by kind
      ) as by_kind) as done from period`.execute(db)
    const { upTo, done } = rows[0]!
    countedTo = upTo
    for (const { kind, count, seconds } of done) {
      const total = totals.get(kind) ?? { kind, count: 0, seconds: 0 }
      totals.set(kind, { kind, count: total.count + count, seconds: total.seconds + seconds })
    }
    return [...totals.values()]
  }
}
