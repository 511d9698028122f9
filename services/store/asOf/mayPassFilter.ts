import { type RawBuilder, sql } from 'kysely'
import type { Cutoffs } from '../../../core/intent/asOfCutoff.ts'
import type { Status } from '../../../core/intent/status.ts'
import { filterConditions, type IntentFilter } from '../intents/intentFilter.ts'
import { clockAtSql } from './cutoffSql.ts'

/**
 * Conditions on an intent's present row (aliased `intent`) without which it can't have passed a filter at
 * the cutoffs: they spare the fold of most that don't pass, and decide nothing. What a row says has
 * happened before its chain's time at the cutoff certainly had; what it says happened after had not.
 */
export function mayPassFilter(filter: IntentFilter, cutoffs: Cutoffs): RawBuilder<unknown>[] {
  const { statuses, solver, feeBps, updatedAt, settledAt, fee, bestBidder } = filter
  const conditions: RawBuilder<unknown>[] = []
  // Set once and never changed.
  if (solver !== undefined) conditions.push(sql`intent.solver = ${solver}`)
  if (feeBps !== undefined) conditions.push(sql`intent.fee_bps = ${feeBps}`)
  conditions.push(...filterConditions({ settledAt, fee }))
  if (updatedAt?.from !== undefined) {
    conditions.push(sql`intent.updated_at >= ${updatedAt.from}::bigint`)
  }
  if (bestBidder !== undefined) {
    conditions.push(sql`exists (select 1 from cairn.bid b where b.source_chain_id = intent.source_chain_id
      and b.intent_id = intent.intent_id and b.solver = ${bestBidder})`)
  }
  if (statuses !== undefined) {
    const ways = statuses.map((word) => sql.raw(`(${couldBe(word, cutoffs)})`))
    conditions.push(ways.length === 0 ? sql`false` : sql`(${sql.join(ways, sql` or `)})`)
  }
  return conditions
}

function couldBe(word: Status, cutoffs: Cutoffs): string {
  const now = clockAtSql('intent.source_chain_id', cutoffs)
  const there = clockAtSql('intent.dest_chain_id', cutoffs)
  const had = (moment: string) => `intent.${moment} <= ${now}`
  const notYet = (moment: string) => `(intent.${moment} is null or intent.${moment} >= ${now})`
  const running = `${notYet('settled_at')} and ${notYet('refunded_at')}`
  switch (word) {
    case 'pending':
      return `${notYet('deposited_at')} and ${notYet('cancelled_at')} and ${notYet('refunded_at')}
        and intent.pickup_deadline > ${now}`
    case 'solving':
      return `${had('deposited_at')} and ${running}
        and (${there} is null or intent.fill_deadline > ${there})`
    case 'settled':
      return `${had('deposited_at')} and ${running}`
    case 'completed':
      return had('settled_at')
    case 'cancelled':
      return had('cancelled_at')
    case 'expired':
      return `${notYet('deposited_at')} and ${notYet('cancelled_at')}
        and (${had('end_time')} or ${had('refunded_at')})`
    case 'failed':
      return `${had('deposited_at')} and ${notYet('settled_at')}
        and (intent.fill_deadline <= ${there} or ${had('refunded_at')})`
  }
}
