import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../store/database/openDatabase.ts'
import type { ClaimedDelivery } from './claimDeliveries.ts'
import type { Outcome } from './postWebhook.ts'

/** Failures after which an endpoint that never accepted anything is disabled: its URL may belong to someone else. */
const SILENT_AFTER = 10

/** Records an attempt's result and updates its endpoint in one statement. */
export async function recordDeliveryOutcome(
  db: Db,
  { deliveryId, endpointId, attempts }: ClaimedDelivery,
  { status, error }: Outcome,
): Promise<void> {
  const isAccepted = status !== null && status >= 200 && status < 300
  const isGone = status === 410
  const wait = isAccepted || isGone ? null : retryAfter(attempts + 1)
  const next = isAccepted ? 'delivered' : wait === null ? 'dead' : 'due'
  const endpointUpdate = isAccepted ? succeeded(endpointId) : failed(endpointId, isGone)
  await sql`with recorded as (
      update app.webhook_delivery set status = ${next}, leased_until = null,
        -- A row may be at the end of the numbers.
        attempts = least(attempts, 1000000) + 1,
        last_status = ${status}::integer, last_error = ${error}::text,
        next_at = clock_timestamp() + ${wait ?? 0}::double precision * interval '1 millisecond'
      where delivery_id = ${deliveryId})
    ${endpointUpdate}`.execute(db)
}

/**
 * Records a failure by the operator's fault: the attempt isn't counted, and the endpoint is tried again after a pause as long
 * as its event has already waited, within the limits of other pauses.
 */
export async function postponeDelivery(
  db: Db,
  { deliveryId, endpointId, recordedAt }: ClaimedDelivery,
  { status, error }: Outcome,
): Promise<void> {
  const waited = sql`extract(epoch from clock_timestamp() - ${recordedAt}::timestamptz)`
  const later = sql`clock_timestamp()
    + least(greatest(${waited}, ${PAUSE}), ${LONGEST_PAUSE}) * interval '1 second'`
  await sql`with postponed as (
      update app.webhook_delivery set leased_until = null,
        last_status = ${status}::integer, last_error = ${error}::text, next_at = ${later}
      where delivery_id = ${deliveryId} and status = 'due')
    update app.webhook_endpoint set retry_at = ${later} where endpoint_id = ${endpointId}`.execute(
    db,
  )
}

function succeeded(endpointId: string): RawBuilder<unknown> {
  // At most once a minute: otherwise every delivery would write the same row.
  return sql`update app.webhook_endpoint set failures = 0, succeeded_at = clock_timestamp(), retry_at = null
    where endpoint_id = ${endpointId} and (failures > 0 or succeeded_at is null
      or succeeded_at < clock_timestamp() - interval '1 minute')`
}

/** Seconds that an endpoint is paused after a failure, doubled with each further one, up to a limit. */
const PAUSE = 5
export const LONGEST_PAUSE = 300

function failed(endpointId: string, isGone: boolean): RawBuilder<unknown> {
  return sql`update app.webhook_endpoint set failures = failures + 1,
      retry_at = clock_timestamp()
        + least(${PAUSE} * 2 ^ least(failures, 10), ${LONGEST_PAUSE}) * interval '1 second',
      status = case when ${isGone}::boolean or (succeeded_at is null and failures + 1 >= ${SILENT_AFTER})
        then 'disabled' else status end,
      disabled_by = case when ${isGone}::boolean then 'gone'
        when succeeded_at is null and failures + 1 >= ${SILENT_AFTER} then 'silent' else disabled_by end
    where endpoint_id = ${endpointId} and status = 'active'`
}

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000]

/** Milliseconds after the first attempt, the second, and so on: three days in total. */
const WAITS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR),
]

/**
 * Milliseconds until the next attempt, with a tenth of jitter, so that a recovering receiver doesn't get everything at
 * once. Null after the last attempt.
 *
 * @param attempts how many were made
 * @param chance the jitter, from 0 to 1
 */
export function retryAfter(attempts: number, chance = Math.random()): number | null {
  const wait = WAITS[attempts - 1]
  return wait === undefined ? null : Math.round(wait * (0.9 + chance / 5))
}
