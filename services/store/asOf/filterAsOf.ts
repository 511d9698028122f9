import { type RawBuilder, sql } from 'kysely'
import type { Cutoffs } from '../../../core/intent/asOfCutoff.ts'
import type { RefundStatus } from '../../../core/intent/refundSql.ts'
import { deriveRefund } from '../../../core/intent/refundStatus.ts'
import { deriveStatus, type Status } from '../../../core/intent/status.ts'
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

/** Whether an intent, in its state at the cutoffs, passes a filter. */
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
    (statuses === undefined || statuses.includes(deriveStatus(stored, heads).status)) &&
    (refunds === undefined || hasRefund(stored, refunds, heads)) &&
    !not.some((excluded) => passesFilter(stored, excluded, heads))
  )
}

/** Whether a filter, or one that it excludes, uses a field that changes during an intent's life. */
export function filtersByMutable(filter: IntentFilter): boolean {
  return (
    MUTABLE.some((name) => filter[name] !== undefined) || (filter.not ?? []).some(filtersByMutable)
  )
}

const MUTABLE = [
  'statuses',
  'refunds',
  'solver',
  'bestBidder',
  'feeBps',
  'updatedAt',
  'settledAt',
  'fee',
] as const

/** The part of a filter that uses immutable fields only, so that present rows answer it for every moment. */
export function immutablePart(filter: IntentFilter): IntentFilter {
  const immutable = { ...filter }
  for (const name of MUTABLE) delete immutable[name]
  // An exclusion is kept whole or not at all, since a part of it would exclude more.
  return { ...immutable, not: filter.not?.filter((excluded) => !filtersByMutable(excluded)) }
}

function hasRefund(
  stored: StoredIntent,
  requested: readonly RefundStatus[],
  heads: ChainHeads,
): boolean {
  const settlementGrace = heads.get(stored.source.sourceChainId)?.settlementGrace
  if (settlementGrace === undefined) return false
  const owed = deriveRefund(stored, heads, { settlementGrace })
  return owed !== null && requested.includes(owed.status)
}

/** Null is in no range. */
function isIn(value: number | bigint | null, range: Range<number | bigint> | undefined): boolean {
  if (range === undefined) return true
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = range
  return value !== null && value >= from && value <= to
}

/**
 * Necessary conditions, on an intent's present row (aliased `intent`), for passing a filter at the cutoffs. They only avoid
 * folding most intents that don't pass. Whatever a row dates before its chain's time at the cutoff had happened then;
 * whatever it dates later had not.
 */
export function candidateConditions(filter: IntentFilter, cutoffs: Cutoffs): RawBuilder<unknown>[] {
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
    const possible = statuses.map((status) => sql.raw(`(${couldBe(status, cutoffs)})`))
    conditions.push(possible.length === 0 ? sql`false` : sql`(${sql.join(possible, sql` or `)})`)
  }
  return conditions
}

function couldBe(status: Status, cutoffs: Cutoffs): string {
  const clock = (chain: string) => byChainSql(chain, cutoffs, ({ timestamp }) => timestamp)
  const now = clock('intent.source_chain_id')
  const destNow = clock('intent.dest_chain_id')
  const happened = (moment: string) => `intent.${moment} <= ${now}`
  const notYet = (moment: string) => `(intent.${moment} is null or intent.${moment} >= ${now})`
  const running = `${notYet('settled_at')} and ${notYet('refunded_at')}`
  switch (status) {
    case 'pending':
      return `${notYet('deposited_at')} and ${notYet('cancelled_at')} and ${notYet('refunded_at')}
        and intent.pickup_deadline > ${now}`
    case 'solving':
      return `${happened('deposited_at')} and ${running}
        and (${destNow} is null or intent.fill_deadline > ${destNow})`
    case 'settled':
      return `${happened('deposited_at')} and ${running}`
    case 'completed':
      return happened('settled_at')
    case 'cancelled':
      return happened('cancelled_at')
    case 'expired':
      return `${notYet('deposited_at')} and ${notYet('cancelled_at')}
        and (${happened('end_time')} or ${happened('refunded_at')})`
    case 'failed':
      return `${happened('deposited_at')} and ${notYet('settled_at')}
        and (intent.fill_deadline <= ${destNow} or ${happened('refunded_at')})`
  }
}
