import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database/database.ts'
import { ENDPOINT_WANTS } from './queueDeliveries.ts'

/** One event's delivery to one endpoint. */
export type Delivery = {
  deliveryId: number
  sequence: number
  type: string
  status: 'held' | 'due' | 'delivered' | 'dead' | 'dropped'
  attempts: number
  nextAt: Date
  lastStatus: number | null
  lastError: string | null
  attemptedAt: Date | null
}

/** An endpoint's deliveries, newest first, from before one of them on. */
export async function listDeliveries(
  db: Db,
  endpointId: string,
  { before, limit }: { before: number | null; limit: number },
): Promise<Delivery[]> {
  const { rows } = await sql<Delivery>`
    select d.delivery_id as "deliveryId", d.sequence, line.type, d.status, d.attempts,
      d.next_at as "nextAt", d.last_status as "lastStatus", d.last_error as "lastError",
      d.attempted_at as "attemptedAt"
    from app.webhook_delivery d join app.push_event line using (sequence)
    where d.endpoint_id = ${endpointId} and (${before}::bigint is null or d.sequence < ${before}::bigint)
    order by d.sequence desc limit ${limit}`.execute(db)
  return rows
}

/**
 * Repeats deliveries: those that were given up and, with `after`, all that match the endpoint after an event.
 * Each event stays one delivery, with the same id. The endpoint is tried at once, even if it failed before.
 *
 * @returns how many
 */
export async function replayDeliveries(
  db: Db,
  endpointId: string,
  { after, limit }: { after: number | null; limit: number },
): Promise<number> {
  if (after === null) {
    const { numAffectedRows = 0n } = await sql`with tried as (${tryAtOnce(endpointId)})
      update app.webhook_delivery
      set status = 'due', attempts = 0, next_at = clock_timestamp()
      where endpoint_id = ${endpointId} and status = 'dead'`.execute(db)
    return Number(numAffectedRows)
  }
  const { numAffectedRows = 0n } = await sql`
    with tried as (${tryAtOnce(endpointId)})
    insert into app.webhook_delivery as known (endpoint_id, sequence, status)
    select e.endpoint_id, line.sequence, case when e.mode = 'finalized' then 'held' else 'due' end
    from app.webhook_endpoint e join app.push_event line on ${sql.raw(ENDPOINT_WANTS)}
    where e.endpoint_id = ${endpointId} and line.sequence > ${after}
      and (e.mode = 'instant' or line.key is not null and line.stands)
    order by line.sequence limit ${limit}
    on conflict (endpoint_id, sequence) do update
      set status = case when known.status = 'held' then 'held' else 'due' end, attempts = 0,
        next_at = clock_timestamp()`.execute(db)
  return Number(numAffectedRows)
}

function tryAtOnce(endpointId: string): RawBuilder<unknown> {
  return sql`update app.webhook_endpoint set retry_at = null where endpoint_id = ${endpointId}`
}
