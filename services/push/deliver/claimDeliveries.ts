import { sql } from 'kysely'
import type { Db } from '../../store/database/database.ts'
import type { JournalLine } from '../../store/push/readJournal.ts'

/** A delivery that this process makes until its lease ends. */
export type ClaimedDelivery = Pick<JournalLine, 'sequence' | 'type' | 'data' | 'recordedAt'> & {
  deliveryId: number
  endpointId: string
  url: string
  attempts: number
  sealedSecret: Buffer
  /** The secret before it, while that is good. */
  previousSecret: Buffer | null
}

/** Deliveries to one endpoint at once. */
export const AT_ONCE = 2
/** Longer than an attempt takes: after that its holder is dead. */
const LEASE = '30 seconds'

/**
 * Takes deliveries that are due, a few of each endpoint, so that none waits for another's. An attempt
 * counts from now on, even if the process that makes it is killed.
 *
 * @param busy endpoints that get no more at the moment
 */
export async function claimDeliveries(
  db: Db,
  busy: readonly string[],
  limit: number,
): Promise<ClaimedDelivery[]> {
  const { rows } = await sql<ClaimedDelivery>`
    with due as materialized (
      select chosen.delivery_id from app.webhook_endpoint e
      cross join lateral (
        select d.delivery_id from app.webhook_delivery d
        where d.endpoint_id = e.endpoint_id and d.status = 'due' and d.next_at <= clock_timestamp()
          and (d.leased_until is null or d.leased_until < clock_timestamp())
        order by d.next_at, d.sequence limit ${AT_ONCE} for update skip locked) chosen
      where e.status = 'active' and e.endpoint_id <> all(${[...busy]}::text[]) limit ${limit}
    )
    update app.webhook_delivery d
    set leased_until = clock_timestamp() + interval '${sql.raw(LEASE)}', attempts = d.attempts + 1,
      attempted_at = clock_timestamp()
    from due, app.webhook_endpoint e, app.push_event line
    where d.delivery_id = due.delivery_id and e.endpoint_id = d.endpoint_id and line.sequence = d.sequence
    returning d.delivery_id as "deliveryId", d.endpoint_id as "endpointId", e.url, d.attempts,
      e.sealed_secret as "sealedSecret",
      case when e.previous_until > clock_timestamp() then e.previous_secret end as "previousSecret",
      line.sequence, line.type, line.data, line.recorded_at as "recordedAt"`.execute(db)
  return rows.sort((a, b) => a.sequence - b.sequence)
}
