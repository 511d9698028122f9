import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../store/database/database.ts'
import type { ClaimedDelivery } from './claimDeliveries.ts'
import type { Outcome } from './postWebhook.ts'

/**
 * Attempts after which an endpoint that never accepted anything is disabled: its URL may be a stranger's.
 */
const SILENT_AFTER = 10

/** Records an attempt's result, in one statement with its effect on the endpoint. */
export async function recordOutcome(
  db: Db,
  { deliveryId, endpointId, attempts }: ClaimedDelivery,
  { status, error }: Outcome,
): Promise<void> {
  const isTaken = status !== null && status >= 200 && status < 300
  const isGone = status === 410
  const wait = isTaken || isGone ? null : retryAfter(attempts)
  const next = isTaken ? 'delivered' : wait === null ? 'dead' : 'due'
  const meant = isTaken ? succeeded(endpointId) : failed(endpointId, isGone)
  await sql`with recorded as (
      update app.webhook_delivery set status = ${next}, leased_until = null,
        last_status = ${status}::integer, last_error = ${error}::text,
        next_at = clock_timestamp() + ${wait ?? 0}::double precision * interval '1 millisecond'
      where delivery_id = ${deliveryId})
    ${meant}`.execute(db)
}

function succeeded(endpointId: string): RawBuilder<unknown> {
  // Once a minute is enough: every delivery would write the same row.
  return sql`update app.webhook_endpoint set failures = 0, succeeded_at = clock_timestamp(), retry_at = null
    where endpoint_id = ${endpointId} and (failures > 0 or succeeded_at is null
      or succeeded_at < clock_timestamp() - interval '1 minute')`
}

/** Seconds for which an endpoint is left alone after a failure: twice as many after the next, up to a limit. */
const [PAUSE, LONGEST_PAUSE] = [5, 300]

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

/** Milliseconds after the first attempt, the second, and so on: three days in all. */
const WAITS = [
  ...[5 * SECOND, 5 * MINUTE, 30 * MINUTE],
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR),
]

/**
 * Milliseconds until the next attempt, varied by a tenth, so that a receiver that recovers doesn't get all at
 * once; null when there is none left.
 *
 * @param attempts that were made
 * @param chance 0 to 1
 */
export function retryAfter(attempts: number, chance = Math.random()): number | null {
  const wait = WAITS[attempts - 1]
  return wait === undefined ? null : Math.round(wait * (0.9 + chance / 5))
}
