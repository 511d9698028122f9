import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../store/database/openDatabase.ts'
import { findPassedDeadlines } from '../../store/intents/findPassedDeadlines.ts'
import { requestedIntents } from '../../store/intents/storedIntent.ts'
import { type FollowedChain, readFollowedChains, rememberChain } from './followedChains.ts'
import { cutoffOf } from './journalLine.ts'

/** Lines of the change log per transaction. */
const MAX_CHANGES = 10_000
/** If one clock step passes more deadlines, every intent of the chain is examined. */
const MAX_DEADLINES = 5_000

/**
 * Marks as pending what may have changed since the last run: by the change log, by the chains' clocks, and everything
 * of a chain with a new index. Must run in a transaction, so that the cursor and the marks agree.
 *
 * @returns whether the change log has more
 */
export async function queueJournalWork(db: Db): Promise<boolean> {
  const { live } = await readFollowedChains(db)
  if (await resetCursor(db)) for (const chain of live) await collectAll(db, chain)
  for (const chain of live) await collectFromChain(db, chain)
  return collectFromLog(db)
}

/** Moves a cursor that is ahead of the log back to its end: it would hide every change. @returns whether it was ahead */
async function resetCursor(db: Db): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`update app.push_cursor
    set sequence = coalesce((select max(sequence) from app.change_log), 0)
    where sequence > (select last_value from app.change_log_sequence_seq)`.execute(db)
  return numAffectedRows > 0n
}

async function collectFromLog(db: Db): Promise<boolean> {
  const cursor = await readCursor(db)
  const { rows } = await sql<{ last: number | null; lines: number }>`
    select max(sequence) as last, count(*)::int as lines from (
      select sequence from app.change_log where sequence > ${cursor} order by sequence limit ${MAX_CHANGES}) log`.execute(
    db,
  )
  const { last = null, lines = 0 } = rows[0] ?? {}
  if (last === null) return false
  await sql`insert into app.push_pending (source_chain_id, intent_id)
    select distinct source_chain_id, intent_id from app.change_log
    where sequence > ${cursor} and sequence <= ${last} and intent_id is not null and source_chain_id is not null
    on conflict do nothing`.execute(db)
  await collectOrders(db, cursor, last)
  await sql`update app.push_cursor set sequence = ${last}`.execute(db)
  return lines === MAX_CHANGES
}

/** On the first run the whole log counts as read: `collectAll` covers earlier history from the index. */
async function readCursor(db: Db): Promise<number> {
  await sql`insert into app.push_cursor (sequence)
    select coalesce(max(sequence), 0) from app.change_log on conflict do nothing`.execute(db)
  const { rows } = await sql<{ sequence: number }>`select sequence from app.push_cursor`.execute(db)
  return rows[0]!.sequence
}

/** The orders of changed vault events, including those that a reorg removed. */
async function collectOrders(db: Db, after: number, upTo: number): Promise<void> {
  await sql`insert into app.push_pending_order (chain_id, order_id)
    select distinct changed.chain_id, changed.args ->> 'orderId'
    from app.change_log log
    cross join lateral (
      select e.chain_id, e.type, e.args from cairn.event e
      where e.chain_id = log.chain_id and e.block_number = log.block_number and e.log_index = log.log_index
      union all
      select o.chain_id, o.type, o.args from app.orphaned_event o
      where o.chain_id = log.chain_id and o.block_number = log.block_number and o.log_index = log.log_index) changed
    where log.sequence > ${after} and log.sequence <= ${upTo} and log.chain_id is not null
      and changed.type in ('OrderFunded', 'TrancheFired', 'OrderClosed')
      and changed.args ->> 'orderId' is not null
    on conflict do nothing`.execute(db)
}

async function collectFromChain(db: Db, chain: FollowedChain): Promise<void> {
  const { seen, chainId, schema, baseSequence, head, bridge } = chain
  const isAnother = seen === null || seen.schema !== schema || seen.baseSequence !== baseSequence
  if (isAnother) await collectAll(db, chain)
  else if (seen.timestamp !== head.timestamp) {
    // A reorg may set the clock back and undo an expiry.
    const from = Math.min(seen.timestamp, head.timestamp)
    const to = Math.max(seen.timestamp, head.timestamp)
    const step = { chainId, from, to, terms: bridge?.terms ?? null }
    const keys = await findPassedDeadlines(db, step, MAX_DEADLINES + 1)
    if (keys.length > MAX_DEADLINES) await collectAll(db, chain)
    else if (keys.length > 0) {
      await sql`insert into app.push_pending (source_chain_id, intent_id)
        select * from ${requestedIntents(keys)} on conflict do nothing`.execute(db)
    }
  }
  await rememberChain(db, chain)
}

/** Lines of the journal, and seconds of the index, per statement: a month would exceed its timeout. */
const LINES = 20_000
const STEP_SECONDS = 6 * 3_600

/** Everything within the journal's range: what the index has, and what was recorded and may be gone. */
export async function collectAll(
  db: Db,
  chain: Pick<FollowedChain, 'chainId' | 'head'>,
  lines = LINES,
): Promise<void> {
  const { chainId, head } = chain
  const cutoff = cutoffOf(chain)
  await collectIntents(db, chainId, sql`phase in ('open', 'bidding', 'deposited')`)
  let from = cutoff
  for (; from < head.timestamp; from += STEP_SECONDS) {
    const to = from + STEP_SECONDS
    await collectIntents(
      db,
      chainId,
      sql`updated_at >= ${from}::bigint and updated_at < ${to}::bigint`,
    )
  }
  // The other chain's clock may be ahead.
  await collectIntents(db, chainId, sql`updated_at >= ${from}::bigint`)
  await sql`insert into app.push_pending_order (chain_id, order_id)
    select chain_id, order_id from cairn.scheduled_order
    where chain_id = ${chainId}::bigint and updated_at >= ${cutoff}::bigint
    on conflict do nothing`.execute(db)
  await collectRecorded(db, chainId, lines)
}

async function collectIntents(
  db: Db,
  chainId: number,
  condition: RawBuilder<unknown>,
): Promise<void> {
  await sql`insert into app.push_pending (source_chain_id, intent_id)
    select source_chain_id, intent_id from cairn.intent
    where (source_chain_id = ${chainId}::bigint or dest_chain_id = ${chainId}::bigint) and ${condition}
    on conflict do nothing`.execute(db)
}

/** The intents and orders of the journal's own lines. */
async function collectRecorded(db: Db, chainId: number, limit: number): Promise<void> {
  let after = 0
  for (;;) {
    const { rows } = await sql<{ last: number | null; count: number }>`
      select max(sequence) as last, count(*)::integer as count from (
        select sequence from app.push_event where sequence > ${after} order by sequence limit ${limit}) page`.execute(
      db,
    )
    const { last = null, count = 0 } = rows[0] ?? {}
    if (last === null) return
    const page = sql`sequence > ${after} and sequence <= ${last} and stands and key is not null`
    await sql`insert into app.push_pending (source_chain_id, intent_id)
      select distinct source_chain_id, intent_id from app.push_event
      where ${page} and intent_id is not null and (source_chain_id = ${chainId} or dest_chain_id = ${chainId})
      on conflict do nothing`.execute(db)
    await sql`insert into app.push_pending_order (chain_id, order_id)
      select distinct chain_id, order_id from app.push_event
      where ${page} and order_id is not null and chain_id = ${chainId}
      on conflict do nothing`.execute(db)
    if (count < limit) return
    after = last
  }
}
