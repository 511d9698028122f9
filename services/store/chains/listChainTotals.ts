import { sql } from 'kysely'
import type { CompletionTimes } from '../../../src/projection/completionTimes.ts'
import type { Filters } from '../database/filterSql.ts'
import type { Db } from '../database/openDatabase.ts'
import type { Range } from '../intents/intentFilter.ts'
import {
  INTENT_COUNTS,
  type IntentCounts,
  type PairDayFilter,
  pairCondition,
  sumHistograms,
} from '../pairs/pairFilter.ts'

/** A source chain's totals. Counts only, since volumes of different tokens don't add up. */
type ChainTotal = IntentCounts & { chainId: number; pairs: number }

/** Counts over the selected days and pairs, by source chain. */
export async function listChainTotals(
  db: Db,
  filter: Filters<PairDayFilter>,
): Promise<ChainTotal[]> {
  const { rows } = await sql<ChainTotal>`select source_chain_id as "chainId", ${INTENT_COUNTS},
      count(distinct (dest_chain_id, token_a, token_b)) as pairs
    from cairn.pair_day as pair_day where ${pairCondition(filter)} group by 1 order by 1`.execute(
    db,
  )
  return rows
}

const SECONDS_OF = { hour: 3_600, day: 86_400 } as const
export type Period = keyof typeof SECONDS_OF

/** A source chain's statistics in one period; `start` in unix seconds. */
type ChainPeriod = IntentCounts & {
  chainId: number
  start: number
  senders: number
  completionTimes: CompletionTimes
}

const LIMIT = 1_000

/**
 * Lists source chains' statistics by hour or day, newest first, without periods that have no event.
 *
 * @param start range of the periods' starts, in unix seconds
 */
export async function listChainPeriods(
  db: Db,
  by: Period,
  { chainId, start }: { chainId?: number | undefined; start?: Range<number> | undefined },
): Promise<ChainPeriod[]> {
  const seconds = SECONDS_OF[by]
  const range = {
    from: start?.from === undefined ? undefined : Math.ceil(start.from / seconds),
    to: start?.to === undefined ? undefined : Math.floor(start.to / seconds),
  }
  const table = `pair_${by}` as const
  const where = pairCondition({ sourceChainId: chainId, [by]: range }, table)
  const period = sql.ref(by)
  const { rows } = await sql<ChainPeriod>`
    with counted as (
      select source_chain_id, ${period} as period, ${INTENT_COUNTS},
        sum(senders_of_chain) as senders, jsonb_agg(completion_times) as histograms
      from ${sql.raw(`cairn.${table} as ${table}`)} where ${where}
      group by 1, 2 order by 2 desc, 1 limit ${sql.lit(LIMIT)})
    select source_chain_id as "chainId", period * ${sql.lit(seconds)}::bigint as start, created, bids,
      completed, cancelled, expired, failed, senders,
      ${sumHistograms(sql`jsonb_array_elements(histograms) as histogram, jsonb_each_text(histogram) as time`)}
        as "completionTimes"
    from counted order by period desc, source_chain_id`.execute(db)
  return rows
}
