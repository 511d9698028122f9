import { sql } from 'kysely'
import { InvalidAddressError } from 'viem'
import type { ChainHeads } from '../../store/chains/readChainStates.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import { type IntentKey, requestedIntents } from '../../store/intents/storedIntent.ts'
import { type OrderKey, requestedOrders } from '../../store/orders/findOrder.ts'
import { queueDeliveries } from '../../store/webhooks/webhookDeliveries.ts'
import { collectIntentJournalLines } from './collectIntentJournalLines.ts'
import { collectOrderJournalLines } from './collectOrderJournalLines.ts'
import { readFollowedChains } from './followedChains.ts'
import type { JournalChange, NewLine } from './journalLine.ts'

/** Intents, and orders, examined per transaction. */
const BATCH = 200

/** Counts of one transaction, and whether more may be pending. */
type PendingDone = { examined: number; written: number; mayHaveMore: boolean }

/**
 * Examines pending intents and orders and records their new events. Must run in one transaction with one snapshot, so
 * that the rows read, the lines written and the marks removed agree.
 *
 * @param onUnreadable called with the error of each intent or order that is left out; see `collectReadable`
 */
export async function writePendingChanges(
  db: Db,
  onUnreadable: (error: unknown) => void = () => {},
): Promise<PendingDone> {
  const { live, waiting } = await readFollowedChains(db)
  const heads: ChainHeads = new Map(live.map(({ chainId, head }) => [chainId, head]))
  const chains = live.map(({ chainId }) => chainId)
  const ofChain = Math.ceil(BATCH / Math.max(1, chains.length))
  const intents = await pendingIntents(db, chains, waiting, ofChain)
  const orders = await pendingOrders(db, chains)
  const examined = intents.length + orders.length
  if (examined === 0) return { examined, written: 0, mayHaveMore: false }
  const found = [
    ...(await collectReadable(
      intents,
      (keys) => collectIntentJournalLines(db, keys, live, heads),
      onUnreadable,
    )),
    ...(await collectReadable(
      orders,
      (keys) => collectOrderJournalLines(db, keys, live, heads),
      onUnreadable,
    )),
  ]
  const lines = found.flatMap((one) => one.lines)
  await revoke(
    db,
    found.flatMap((one) => one.reverted),
  )
  await write(db, lines)
  await clearPending(db, intents, orders)
  return { examined, written: lines.length, mayHaveMore: examined >= ofChain }
}

/**
 * The changes of these intents or orders, without those whose rows make no sense: nobody else's events wait for them. They
 * are examined again once they change.
 *
 * @throws errors of the database
 */
async function collectReadable<Key>(
  keys: readonly Key[],
  collect: (keys: readonly Key[]) => Promise<JournalChange[]>,
  onUnreadable: (error: unknown) => void,
): Promise<JournalChange[]> {
  if (keys.length === 0) return []
  try {
    return await collect(keys)
  } catch (error) {
    // After any other error, the transaction is over.
    if (!UNREADABLE.some((kind) => error instanceof kind)) throw error
    if (keys.length === 1) {
      onUnreadable(error)
      return []
    }
    const middle = keys.length >> 1
    return [
      ...(await collectReadable(keys.slice(0, middle), collect, onUnreadable)),
      ...(await collectReadable(keys.slice(middle), collect, onUnreadable)),
    ]
  }
}

/** What reading a row that makes no sense throws. */
const UNREADABLE = [TypeError, SyntaxError, RangeError, InvalidAddressError]

/**
 * Pending intents whose chains are both at their heads, the newest of each source chain: they mustn't wait while a month of
 * old ones is re-examined after an upgrade. A chain that isn't indexed at all isn't waited for.
 */
async function pendingIntents(
  db: Db,
  chains: number[],
  waiting: number[],
  ofChain: number,
): Promise<IntentKey[]> {
  const { rows } = await sql<IntentKey>`
    select newest.source_chain_id as "sourceChainId", newest.intent_id as "intentId"
    from unnest(${chains}::bigint[]) as chain (id)
    cross join lateral (
      select p.source_chain_id, p.intent_id from app.push_pending p
      left join cairn.intent i on i.source_chain_id = p.source_chain_id and i.intent_id = p.intent_id
      where p.source_chain_id = chain.id
        and (i.dest_chain_id is null or i.dest_chain_id <> all(${waiting}::bigint[]))
      order by p.intent_id desc limit ${ofChain}) as newest
    order by 1, 2`.execute(db)
  return rows
}

async function pendingOrders(db: Db, chains: number[]): Promise<OrderKey[]> {
  const { rows } = await sql<OrderKey>`
    select chain_id as "chainId", order_id as "orderId" from app.push_pending_order
    where chain_id = any(${chains}::bigint[]) order by chain_id, order_id limit ${BATCH}`.execute(
    db,
  )
  return rows
}

async function revoke(db: Db, sequences: readonly number[]): Promise<void> {
  if (sequences.length === 0) return
  await sql`update app.push_event set stands = false where sequence = any(${sequences}::bigint[])`.execute(
    db,
  )
}

async function write(db: Db, lines: readonly NewLine[]): Promise<void> {
  if (lines.length === 0) return
  const rows = lines.map(({ intentId, ...line }) => ({
    ...line,
    intentId: intentId === null ? null : String(intentId),
  }))
  const { rows: written } = await sql<{
    sequence: number
  }>`insert into app.push_event (type, key, chain_id, block_number, block_hash, log_index, at, final_block,
      source_chain_id, dest_chain_id, intent_id, order_id, sender, solver, data)
    select type, key, "chainId", "blockNumber", "blockHash", "logIndex", at, "finalBlock", "sourceChainId", "destChainId",
      "intentId", "orderId", sender, solver, data
    from rows from (jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as (
      type text, key text, "chainId" bigint, "blockNumber" bigint, "blockHash" text, "logIndex" integer,
      at bigint, "finalBlock" bigint, "sourceChainId" bigint, "destChainId" bigint, "intentId" numeric, "orderId" text,
      sender text, solver text, data jsonb)) with ordinality as line order by ordinality
    returning sequence`.execute(db)
  await queueDeliveries(
    db,
    written.map(({ sequence }) => sequence),
  )
  await sql`select pg_notify('cairn_push', '')`.execute(db)
}

async function clearPending(
  db: Db,
  intents: readonly IntentKey[],
  orders: readonly OrderKey[],
): Promise<void> {
  await sql`delete from app.push_pending where (source_chain_id, intent_id) in (
    select * from ${requestedIntents(intents)})`.execute(db)
  await sql`delete from app.push_pending_order where (chain_id, order_id) in (
    select * from ${requestedOrders(orders)})`.execute(db)
}
