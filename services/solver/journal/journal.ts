import { sql } from 'kysely'
import type { Address, Hex } from 'viem'
import type { Db } from '../../store/database/database.ts'
import type { SolverPhase } from '../plan/action.ts'
import type { SeenIntent } from '../plan/snapshot.ts'

/** An intent that we take part in. */
export type JournalEntry = {
  sourceChainId: number
  intentId: bigint
  destChainId: number
  tokenA: Address
  tokenB: Address
  amountA: bigint
  expectedAmountB: bigint
  reward: bigint
  /** Unix seconds. */
  endTime: number
  myBid: bigint | null
  phase: SolverPhase
  fillDeadline: number
  /** Our delivery's key on its chain; null while we don't know whom to pay. */
  deliveryKey: Hex | null
}

/** What names an intent. */
export type IntentKey = Pick<SeenIntent, 'sourceChainId' | 'intentId'>

/** An intent's outcome for us. */
export type Outcome = 'settled' | 'lost' | 'slashed' | 'cancelled'

/** How many intents ended how, and how many are under way. */
type SolverStats = { active: number } & Record<Outcome, number>

/** The intents that aren't over for this account, those that end first first. */
export async function activeEntries(db: Db, account: Address): Promise<JournalEntry[]> {
  const { rows } = await sql<JournalEntry>`
    select source_chain_id as "sourceChainId", intent_id as "intentId",
      dest_chain_id as "destChainId", token_a as "tokenA", token_b as "tokenB",
      amount_a as "amountA", expected_amount_b as "expectedAmountB", reward,
      end_time as "endTime", my_bid as "myBid", phase, fill_deadline as "fillDeadline", delivery_key as "deliveryKey"
    from solver.intent where account = ${account.toLowerCase()} and outcome is null
    order by end_time, intent_id`.execute(db)
  return rows
}

/** Records an intent's phase for us; our bid only ever rises. */
export async function noteIntent(
  db: Db,
  account: Address,
  seen: SeenIntent,
  note: { phase: SolverPhase; bid?: bigint },
): Promise<void> {
  const { sourceChainId, intentId, destChainId, tokenA, tokenB } = seen
  const bid = note.bid === undefined ? null : String(note.bid)
  await sql`
    insert into solver.intent as known (account, source_chain_id, intent_id, dest_chain_id, token_a,
      token_b, amount_a, expected_amount_b, reward, end_time, my_bid, phase, fill_deadline)
    values (${account.toLowerCase()}, ${sourceChainId}, ${String(intentId)}, ${destChainId},
      ${tokenA}, ${tokenB}, ${String(seen.amountA)}, ${String(seen.expectedAmountB)},
      ${String(seen.reward)}, ${seen.endTime}, ${bid}, ${note.phase}, ${seen.fillDeadline})
    on conflict (account, source_chain_id, intent_id) do update set
      phase = excluded.phase, fill_deadline = excluded.fill_deadline,
      my_bid = greatest(known.my_bid, excluded.my_bid), outcome = null,
      changed_at = clock_timestamp()
    where (known.phase, known.fill_deadline, known.outcome) is distinct from
        (excluded.phase, excluded.fill_deadline, null)
      or known.my_bid is distinct from greatest(known.my_bid, excluded.my_bid)`.execute(db)
}

/** Records the key of our delivery of an intent, before anything is sent. */
export async function noteDelivery(
  db: Db,
  account: Address,
  intent: IntentKey,
  deliveryKey: Hex,
): Promise<void> {
  await sql`
    update solver.intent set delivery_key = ${deliveryKey}, changed_at = clock_timestamp()
    where ${isEntryOf(account, intent)}`.execute(db)
}

/** The key of our delivery of an intent; null while we don't know whom to pay. */
export async function deliveryKeyOf(
  db: Db,
  account: Address,
  intentId: bigint,
): Promise<Hex | null> {
  const { rows } = await sql<{ key: Hex | null }>`
    select delivery_key as key from solver.intent
    where account = ${account.toLowerCase()} and intent_id = ${String(intentId)}`.execute(db)
  return rows[0]?.key ?? null
}

/** Records an intent's outcome for us. */
export async function noteOutcome(
  db: Db,
  account: Address,
  intent: IntentKey,
  outcome: Outcome,
): Promise<void> {
  await sql`
    update solver.intent set outcome = ${outcome}, phase = 'over', changed_at = clock_timestamp()
    where ${isEntryOf(account, intent)}`.execute(db)
}

/** When our delivery must be in a block, unix seconds; null when none is due. */
export async function fillDeadlineOf(
  db: Db,
  account: Address,
  intent: IntentKey,
): Promise<number | null> {
  const { rows } = await sql<{ deadline: number }>`
    select fill_deadline as deadline from solver.intent
    where ${isEntryOf(account, intent)} and fill_deadline > 0`.execute(db)
  return rows[0]?.deadline ?? null
}

export async function readStats(db: Db, account: Address): Promise<SolverStats> {
  const { rows } = await sql<{ outcome: Outcome | null; count: number }>`
    select outcome, count(*) as count from solver.intent
    where account = ${account.toLowerCase()} group by outcome`.execute(db)
  const stats: SolverStats = { active: 0, settled: 0, lost: 0, slashed: 0, cancelled: 0 }
  for (const { outcome, count } of rows) stats[outcome ?? 'active'] = count
  return stats
}

/** Whether the operator lets it bid; a solver begins running. */
export async function isRunning(db: Db, account: Address): Promise<boolean> {
  const { rows } = await sql<{ running: boolean }>`
    select running from solver.switch where account = ${account.toLowerCase()}`.execute(db)
  return rows[0]?.running ?? true
}

/** Stores the operator's choice, over restarts too. */
export async function setRunning(db: Db, account: Address, running: boolean): Promise<void> {
  await sql`
    insert into solver.switch (account, running) values (${account.toLowerCase()}, ${running})
    on conflict (account) do update
    set running = excluded.running, changed_at = clock_timestamp()`.execute(db)
}

function isEntryOf(account: Address, { sourceChainId, intentId }: IntentKey) {
  return sql`account = ${account.toLowerCase()} and source_chain_id = ${sourceChainId}
    and intent_id = ${String(intentId)}`
}
