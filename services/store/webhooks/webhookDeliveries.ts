import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database/openDatabase.ts'

/** Whether a line passes the filter of an endpoint `e`; the same rule as `matchesFilter`. */
const ENDPOINT_MATCHES = `(e.intent_id is null or e.intent_id = line.intent_id)
  and (e.sender is null or e.sender = line.sender)
  and (e.solver is null or e.solver = line.solver)
  and (e.chain_id is null or e.chain_id in (line.source_chain_id, line.dest_chain_id))
  and (e.types is null or line.type = any(e.types))`

/**
 * Whether an endpoint hears about a reorg: only if it got the removed events. An endpoint that waits for finality never did.
 */
const WAS_REPORTED = `(e.mode = 'instant' or line.key is not null or exists (
    select 1 from app.webhook_delivery before
    where before.endpoint_id = e.endpoint_id and before.status not in ('held', 'dropped')
      and line.data -> 'reverted' ? ('evt_' || before.sequence)))`

/** Creates one delivery per line and matching endpoint, in the transaction that adds the lines. */
export async function queueDeliveries(db: Db, sequences: readonly number[]): Promise<void> {
  await sql`insert into app.webhook_delivery (endpoint_id, sequence, status)
    select e.endpoint_id, line.sequence,
      case when e.mode = 'finalized' and line.key is not null then 'held' else 'due' end
    from app.push_event line join app.webhook_endpoint e
      on e.status = 'active' and ${sql.raw(ENDPOINT_MATCHES)}
    where line.sequence = any(${[...sequences]}::bigint[]) and ${sql.raw(WAS_REPORTED)}
    order by line.sequence on conflict do nothing`.execute(db)
}

/** Lines per statement, each of which has five seconds: a chain may finalize a hundred thousand at once. */
const LINES = 1_000

/**
 * Releases deliveries of final events, and drops those of reorged ones. An event is final once its block and those of the
 * intent's earlier events are, because a delivery depends on a deposit on another chain. An order's are all on one chain, and
 * may be thousands: its own block is enough. The index must still have them: the journal may revoke an event long after the
 * reorg, such as when the intent's other chain is indexed again.
 */
export async function releaseFinal(db: Db): Promise<void> {
  let after = 0
  for (;;) {
    const { last, lines } = await releasePage(db, after)
    if (lines < LINES) return
    after = last
  }
}

/** Whether a reorg may still remove a line's event, or already has. */
function isRevocable(line: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`coalesce((select case
      when clock.finalized_block is null or clock.finalized_block < ${line}.final_block then true
      when ${line}.block_number is null then clock.timestamp < ${line}.at
      else not exists (select from cairn.event e where e.chain_id = ${line}.chain_id
        and e.block_number = ${line}.block_number and e.log_index = ${line}.log_index
        and e.block_hash = ${line}.block_hash) end
    from cairn.chain_clock clock where clock.chain_id = ${line}.chain_id), true)`
}

async function releasePage(db: Db, after: number): Promise<{ last: number; lines: number }> {
  const { rows } = await sql<{ last: number; lines: number }>`
    with held as materialized (
      select distinct sequence from app.webhook_delivery where status = 'held' and sequence > ${after}
      order by sequence limit ${LINES}),
    line as materialized (select line.* from held join app.push_event line using (sequence)),
    final as materialized (
      select sequence from line where stands and not ${isRevocable(sql`line`)}
        -- An aggregate is computed line by line: for an anti-join, the whole journal's events would be looked up.
        and not coalesce((select bool_or(${isRevocable(sql`before`)}) from app.push_event before
          where before.source_chain_id = line.source_chain_id and before.intent_id = line.intent_id
            and before.sequence < line.sequence and before.stands and before.key is not null), false)),
    -- Arrays are looked up by index, however few held deliveries PostgreSQL expects.
    dropped as (
      update app.webhook_delivery set status = 'dropped'
      where status = 'held' and sequence = any(array(select sequence from line where not stands))),
    released as (
      update app.webhook_delivery set status = 'due', next_at = clock_timestamp()
      where status = 'held' and sequence = any(array(select sequence from final)))
    select coalesce(max(sequence), 0) as last, count(*)::integer as lines from held`.execute(db)
  return rows[0]!
}

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

/** Lists an endpoint's deliveries before a sequence, newest first. */
export async function listDeliveries(
  db: Db,
  endpointId: string,
  { before, limit }: { before: number | null; limit: number },
): Promise<Delivery[]> {
  const { rows } = await sql<Delivery>`
    select d.delivery_id as "deliveryId", d.sequence, line.type, d.status, d.attempts,
      d.next_at as "nextAt", d.last_status as "lastStatus",
      -- It waits for a process that has the secret's key.
      case when d.status = 'due' and e.key_id <> (select key_id from app.webhook_key)
        then 'SECRET_LOST' else d.last_error end as "lastError",
      d.attempted_at as "attemptedAt"
    from app.webhook_delivery d join app.push_event line using (sequence)
    join app.webhook_endpoint e using (endpoint_id)
    where d.endpoint_id = ${endpointId} and (${before}::bigint is null or d.sequence < ${before}::bigint)
    order by d.sequence desc limit ${limit}`.execute(db)
  return rows
}

/**
 * Repeats dead deliveries, or with `after` those of all matching events after that one. Each event stays one delivery with the
 * same id. The endpoint is retried at once, even if it is backing off.
 *
 * @returns how many are repeated
 */
export async function replayDeliveries(
  db: Db,
  endpointId: string,
  { after, limit }: { after: number | null; limit: number },
): Promise<number> {
  if (after === null) {
    const { numAffectedRows = 0n } = await sql`with retried as (${retryAtOnce(endpointId)})
      update app.webhook_delivery
      set status = 'due', attempts = 0, next_at = clock_timestamp()
      where endpoint_id = ${endpointId} and status = 'dead'`.execute(db)
    return Number(numAffectedRows)
  }
  const { numAffectedRows = 0n } = await sql`
    with retried as (${retryAtOnce(endpointId)})
    insert into app.webhook_delivery as known (endpoint_id, sequence, status)
    select e.endpoint_id, line.sequence, case when e.mode = 'finalized' then 'held' else 'due' end
    from app.webhook_endpoint e join app.push_event line on ${sql.raw(ENDPOINT_MATCHES)}
    where e.endpoint_id = ${endpointId} and line.sequence > ${after}
      and (e.mode = 'instant' or line.key is not null and line.stands)
    order by line.sequence limit ${limit}
    on conflict (endpoint_id, sequence) do update
      set status = case when known.status = 'held' then 'held' else 'due' end, attempts = 0,
        next_at = clock_timestamp()`.execute(db)
  return Number(numAffectedRows)
}

function retryAtOnce(endpointId: string): RawBuilder<unknown> {
  return sql`update app.webhook_endpoint set retry_at = null where endpoint_id = ${endpointId}`
}
