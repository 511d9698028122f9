import { sql } from 'kysely'
import type { Db } from '../database/database.ts'

/** Whether an endpoint `e` wants a line: as `matchesFilter`, in SQL between two tables. */
export const ENDPOINT_WANTS = `(e.intent_id is null or e.intent_id = line.intent_id)
  and (e.sender is null or e.sender = line.sender)
  and (e.solver is null or e.solver = line.solver)
  and (e.chain_id is null or e.chain_id in (line.source_chain_id, line.dest_chain_id))
  and (e.types is null or line.type = any(e.types))`

/**
 * Only endpoints that got the events a reorg took back learn of it: one that waits for finality never got
 * them.
 */
const WAS_REPORTED = `(e.mode = 'instant' or line.key is not null or exists (
    select 1 from app.webhook_delivery before
    where before.endpoint_id = e.endpoint_id and before.status not in ('held', 'dropped')
      and line.data -> 'reverted' ? ('evt_' || before.sequence)))`

/** Writes one delivery per line and matching endpoint, in the lines' own transaction. */
export async function queueDeliveries(db: Db, sequences: readonly number[]): Promise<void> {
  await sql`insert into app.webhook_delivery (endpoint_id, sequence, status)
    select e.endpoint_id, line.sequence,
      case when e.mode = 'finalized' and line.key is not null then 'held' else 'due' end
    from app.push_event line join app.webhook_endpoint e
      on e.status = 'active' and ${sql.raw(ENDPOINT_WANTS)}
    where line.sequence = any(${[...sequences]}::bigint[]) and ${sql.raw(WAS_REPORTED)}
    order by line.sequence on conflict do nothing`.execute(db)
}

/**
 * Releases what has become final, and drops what never will. An event is final once its block is, and those
 * before it of the same intent: a delivery rests on the deposit on another chain.
 */
export async function releaseFinal(db: Db): Promise<void> {
  await sql`update app.webhook_delivery d set status = 'dropped' from app.push_event line
    where d.status = 'held' and line.sequence = d.sequence and not line.stands`.execute(db)
  await sql`update app.webhook_delivery d set status = 'due', next_at = clock_timestamp()
    from app.push_event line
    where d.status = 'held' and line.sequence = d.sequence and not exists (
      select 1 from app.push_event before
      left join cairn.chain_clock clock on clock.chain_id = before.chain_id
      where before.stands and before.key is not null and before.sequence <= line.sequence
        and before.source_chain_id = line.source_chain_id
        and before.intent_id is not distinct from line.intent_id
        and before.order_id is not distinct from line.order_id
        and (clock.finalized_block is null or clock.finalized_block < before.final_block))`.execute(
    db,
  )
}
