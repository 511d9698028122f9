import { type RawBuilder, sql } from 'kysely'
import type { Cutoffs } from '../../../core/intent/asOfCutoff.ts'
import { refund } from '../../../core/intent/refund.ts'
import type { RefundStatus } from '../../../core/intent/refundSql.ts'
import { type Status, status } from '../../../core/intent/status.ts'
import type { ChainHeads } from '../chains/readChainStates.ts'
import { byChainSql } from '../database/filterSql.ts'
import {
  EQUAL,
  filterConditions,
  type IntentFilter,
  RANGES,
  type Range,
} from '../intents/intentFilter.ts'
import type { StoredIntent } from '../intents/storedIntent.ts'

/** Whether an intent, as it stood, passes a filter. */
export function passesFilter(
  stored: StoredIntent,
  filter: IntentFilter,
  heads: ChainHeads,
): boolean {
  const { source } = stored
  const { statuses, refunds, not = [] } = filter
  return (
    EQUAL.every((name) => filter[name] === undefined || source[name] === filter[name]) &&
    RANGES.every((name) => isIn(source[name], filter[name])) &&
    (statuses === undefined || statuses.includes(status(stored, heads).status)) &&
    (refunds === undefined || hasRefund(stored, refunds, heads)) &&
    !not.some((excluded) => passesFilter(stored, excluded, heads))
  )
}

/** Whether a filter, or one that it excludes, asks for anything that changes in an intent's life. */
export function asksForChange(filter: IntentFilter): boolean {
  return (
    CHANGING.some((name) => filter[name] !== undefined) || (filter.not ?? []).some(asksForChange)
  )
}

const CHANGING = [
  'statuses',
  'refunds',
  'solver',
  'bestBidder',
  'feeBps',
  'updatedAt',
  'settledAt',
  'fee',
] as const

/** What a filter asks for that never changes: the present row answers it for every moment. */
export function lastingPart(filter: IntentFilter): IntentFilter {
  const lasting = { ...filter }
  for (const name of CHANGING) delete lasting[name]
  // An exclusion counts whole or not at all: a part of it would exclude more.
  return { ...lasting, not: filter.not?.filter((excluded) => !asksForChange(excluded)) }
}

function hasRefund(
  stored: StoredIntent,
  requested: readonly RefundStatus[],
  heads: ChainHeads,
): boolean {
  const settlementGrace = heads.get(stored.source.sourceChainId)?.settlementGrace
  if (settlementGrace === undefined) return false
  const owed = refund(stored, heads, { settlementGrace })
  return owed !== null && requested.includes(owed.status)
}

/** A missing value is in no range. */
function isIn(value: number | bigint | null, range: Range<number | bigint> | undefined): boolean {
  if (range === undefined) return true
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = range
  return value !== null && value >= from && value <= to
}

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
  const clock = (chain: string) => byChainSql(chain, cutoffs, ({ timestamp }) => timestamp)
  const now = clock('intent.source_chain_id')
  const there = clock('intent.dest_chain_id')
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
