import { sql } from 'kysely'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import type { JournalLine } from '../../store/push/readPushJournal.ts'
import { LONGEST_PAUSE } from './recordDeliveryOutcome.ts'

/** A delivery leased to this process. */
export type ClaimedDelivery = Pick<JournalLine, 'sequence' | 'type' | 'data' | 'recordedAt'> & {
  deliveryId: number
  endpointId: string
  url: string
  /** How many had an outcome before this one. */
  attempts: number
  /** The database's time. */
  attemptedAt: Date
  sealedSecret: Hex
  /** The previous secret while it is still valid. */
  previousSecret: Hex | null
}

/** Concurrent deliveries to an endpoint that accepts them, while shared places are free. */
export const AT_ONCE = 2
/** Longer than an attempt takes: once it has expired, its holder is dead. */
const LEASE = '30 seconds'
/**
 * A lease that ends later is from before the clock was set back. After a small step, as at a failover, its holder is still at
 * work: the receiver would get the same delivery twice at once.
 */
const LONGEST_LEASE = '60 seconds'

type ClaimOptions = {
  /** The key to which an endpoint's secret must be sealed: others wait for a process that can sign. */
  keyId: string
  /** Deliveries under way, by endpoint. */
  running: ReadonlyMap<string, number>
  /** Most deliveries per endpoint, those under way included. */
  each: number
  limit: number
}

/** SQL: whether a pause is over, or would last longer than any does: the database's clock was set back since. */
const isOver = (until: string, longest: string) =>
  `(${until} is null or ${until} <= clock_timestamp() or ${until} > clock_timestamp() + interval '${longest}')`

/** Due deliveries of endpoint `e` that no process holds. */
const CLAIMABLE = sql.raw(`d.endpoint_id = e.endpoint_id and d.status = 'due'
  and d.next_at <= clock_timestamp() and ${isOver('d.leased_until', LONGEST_LEASE)}`)

/**
 * Leases due deliveries, a few per endpoint, starting with endpoints whose last attempt is longest ago, so that one
 * endpoint's backlog delays no other. An endpoint whose last attempt failed gets one delivery at a time. The attempt counts
 * once its outcome is recorded: a process that is killed during it uses none up.
 */
export async function claimDeliveries(
  db: Db,
  { keyId, running, each, limit }: ClaimOptions,
): Promise<ClaimedDelivery[]> {
  const { rows } = await sql<ClaimedDelivery>`
    with endpoints as materialized (
      select e.endpoint_id, place.free from app.webhook_endpoint e
      left join unnest(${[...running.keys()]}::text[], ${[...running.values()]}::integer[])
        as running (endpoint_id, count) on running.endpoint_id = e.endpoint_id
      cross join lateral (select case when e.failures > 0 then 1 else ${each}::integer end
        - coalesce(running.count, 0) as free) place
      cross join lateral (
        select from app.webhook_delivery d where ${CLAIMABLE} order by d.next_at limit 1) waiting
      where e.status = 'active' and e.key_id = ${keyId} and ${sql.raw(isOver('e.retry_at', `${LONGEST_PAUSE} seconds`))}
        and place.free > 0
      order by e.attempted_at nulls first limit ${limit} for no key update of e skip locked
    ), due as materialized (
      select chosen.delivery_id, e.endpoint_id from endpoints e
      cross join lateral (
        select d.delivery_id from app.webhook_delivery d where ${CLAIMABLE}
        order by d.next_at, d.sequence limit e.free for update skip locked) chosen
      limit ${limit}
    ), noted as (
      update app.webhook_endpoint e set attempted_at = clock_timestamp(),
        retry_at = case when e.failures > 0 then clock_timestamp() + interval '${sql.raw(LEASE)}' end
      where e.endpoint_id in (select endpoint_id from due)
    )
    update app.webhook_delivery d
    set leased_until = clock_timestamp() + interval '${sql.raw(LEASE)}',
      attempted_at = clock_timestamp()
    from due, app.webhook_endpoint e, app.push_event line
    where d.delivery_id = due.delivery_id and e.endpoint_id = d.endpoint_id and line.sequence = d.sequence
    returning d.delivery_id as "deliveryId", d.endpoint_id as "endpointId", e.url, d.attempts,
      d.attempted_at as "attemptedAt",
      e.sealed_secret as "sealedSecret",
      case when e.previous_until > clock_timestamp() then e.previous_secret end as "previousSecret",
      line.sequence, line.type, line.data, line.recorded_at as "recordedAt"`.execute(db)
  return rows.sort((a, b) => a.sequence - b.sequence)
}
