import { sql } from 'kysely'
import type { Db } from '../../store/database/database.ts'
import type { ClaimedDelivery } from './claimDeliveries.ts'
import type { Outcome } from './postWebhook.ts'
import { retryAfter } from './retrySchedule.ts'

/** Attempts after which an endpoint that never took anything is left alone: its URL may be a stranger's. */
const SILENT_AFTER = 10

/** Writes down what came of an attempt, in one transaction with what it means for the endpoint. */
export async function recordOutcome(
  db: Db,
  { deliveryId, endpointId, attempts }: ClaimedDelivery,
  { status, error }: Outcome,
): Promise<void> {
  const isTaken = status !== null && status >= 200 && status < 300
  const isGone = status === 410
  const wait = isTaken || isGone ? null : retryAfter(attempts)
  const next = isTaken ? 'delivered' : wait === null ? 'dead' : 'due'
  await db.transaction().execute(async (transaction) => {
    await sql`update app.webhook_delivery set status = ${next}, leased_until = null,
        last_status = ${status}, last_error = ${error},
        next_at = clock_timestamp() + ${wait ?? 0}::double precision * interval '1 millisecond'
      where delivery_id = ${deliveryId}`.execute(transaction)
    await (isTaken ? succeeded(transaction, endpointId) : failed(transaction, endpointId, isGone))
  })
}

async function succeeded(db: Db, endpointId: string): Promise<void> {
  // Once a minute is enough: every delivery would write the same row.
  await sql`update app.webhook_endpoint set failures = 0, succeeded_at = clock_timestamp()
    where endpoint_id = ${endpointId} and (failures > 0 or succeeded_at is null
      or succeeded_at < clock_timestamp() - interval '1 minute')`.execute(db)
}

async function failed(db: Db, endpointId: string, isGone: boolean): Promise<void> {
  await sql`update app.webhook_endpoint set failures = failures + 1,
      status = case when ${isGone} or (succeeded_at is null and failures + 1 >= ${SILENT_AFTER})
        then 'disabled' else status end,
      disabled_by = case when ${isGone} then 'gone'
        when succeeded_at is null and failures + 1 >= ${SILENT_AFTER} then 'silent' else disabled_by end
    where endpoint_id = ${endpointId} and status = 'active'`.execute(db)
}
