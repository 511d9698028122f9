import { sql } from 'kysely'
import type { Address, Hex } from 'viem'
import type { Db } from '../../store/database/openDatabase.ts'
import type { IntentKey } from '../../store/intents/storedIntent.ts'
import type { MacCall, SolverAccount } from '../account/solverAccount.ts'
import type { SolverPhase } from '../plan/solverActionTypes.ts'
import type { IntentSnapshot } from '../plan/solverSnapshot.ts'

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
  /** Our delivery's key on its chain; null until we know the recipients. */
  deliveryKey: Hex | null
}

export type Outcome = 'settled' | 'lost' | 'slashed' | 'cancelled'

type SolverStats = { active: number } & Record<Outcome, number>

/** The account's active intents; those that end soonest come first. */
export async function loadActiveEntries(db: Db, account: KeyJudge): Promise<JournalEntry[]> {
  const { rows } = await sql<JournalEntry & WithMac>`
    select source_chain_id as "sourceChainId", intent_id as "intentId",
      dest_chain_id as "destChainId", token_a as "tokenA", token_b as "tokenB",
      amount_a as "amountA", expected_amount_b as "expectedAmountB", reward,
      end_time as "endTime", my_bid as "myBid", phase, fill_deadline as "fillDeadline", delivery_key as "deliveryKey",
      delivery_mac as "deliveryMac"
    from solver.intent where account = ${account.address} and outcome is null
    order by end_time, intent_id`.execute(db)
  return rows.map(({ deliveryMac, ...entry }) => {
    return { ...entry, deliveryKey: ownKey(account, { ...entry, deliveryMac }) }
  })
}

type KeyJudge = Pick<SolverAccount, 'address' | 'isMacOf'>
type WithMac = { deliveryMac: string | null }

/** The row's key; null if somebody else wrote it: another delivery's key would make this one look delivered. */
function ownKey(
  { isMacOf }: KeyJudge,
  { deliveryKey, deliveryMac, ...intent }: IntentKey & WithMac & { deliveryKey: Hex | null },
): Hex | null {
  const isOwn = deliveryKey !== null && isMacOf(callOfKey(intent, deliveryKey), deliveryMac)
  return isOwn ? deliveryKey : null
}

/** What a key's MAC covers. No transaction can have the same MAC: `0x` isn't an address. */
function callOfKey({ sourceChainId: chainId, intentId }: IntentKey, key: Hex): MacCall {
  const effect = String(intentId)
  return { kind: 'delivery key', chainId, effect, to: '0x', data: key, value: 0n }
}

/** Records our phase of an intent; our recorded bid only rises. */
export async function recordIntent(
  db: Db,
  account: Address,
  intent: IntentSnapshot,
  update: { phase: SolverPhase; bid?: bigint },
): Promise<void> {
  const { sourceChainId, intentId, destChainId, tokenA, tokenB } = intent
  const bid = update.bid === undefined ? null : String(update.bid)
  await sql`
    insert into solver.intent as entry (account, source_chain_id, intent_id, dest_chain_id, token_a,
      token_b, amount_a, expected_amount_b, reward, end_time, my_bid, phase, fill_deadline)
    values (${account.toLowerCase()}, ${sourceChainId}, ${String(intentId)}, ${destChainId},
      ${tokenA}, ${tokenB}, ${String(intent.amountA)}, ${String(intent.expectedAmountB)},
      ${String(intent.reward)}, ${intent.endTime}, ${bid}, ${update.phase}, ${intent.fillDeadline})
    on conflict (account, source_chain_id, intent_id) do update set
      phase = excluded.phase, fill_deadline = excluded.fill_deadline,
      my_bid = greatest(entry.my_bid, excluded.my_bid), outcome = null,
      changed_at = clock_timestamp()
    where (entry.phase, entry.fill_deadline, entry.outcome) is distinct from
        (excluded.phase, excluded.fill_deadline, null)
      or entry.my_bid is distinct from greatest(entry.my_bid, excluded.my_bid)`.execute(db)
}

/** Records the key of our delivery, before the delivery is sent. */
export async function recordDeliveryKey(
  db: Db,
  { address, macOf }: Pick<SolverAccount, 'address' | 'macOf'>,
  intent: IntentKey,
  deliveryKey: Hex,
): Promise<void> {
  await sql`
    update solver.intent set delivery_key = ${deliveryKey},
      delivery_mac = ${macOf(callOfKey(intent, deliveryKey))}, changed_at = clock_timestamp()
    where ${isEntryOf(address, intent)}`.execute(db)
}

/** The key of our delivery; null until we know the recipients. */
export async function findDeliveryKey(
  db: Db,
  account: KeyJudge,
  intentId: bigint,
): Promise<Hex | null> {
  const { rows } = await sql<IntentKey & WithMac & { deliveryKey: Hex | null }>`
    select source_chain_id as "sourceChainId", intent_id as "intentId",
      delivery_key as "deliveryKey", delivery_mac as "deliveryMac"
    from solver.intent
    where account = ${account.address} and intent_id = ${String(intentId)}`.execute(db)
  return rows.map((row) => ownKey(account, row)).find((key) => key !== null) ?? null
}

export async function recordOutcome(
  db: Db,
  account: Address,
  intent: IntentKey,
  outcome: Outcome,
): Promise<void> {
  await sql`
    update solver.intent set outcome = ${outcome}, phase = 'over', changed_at = clock_timestamp()
    where ${isEntryOf(account, intent)}`.execute(db)
}

/** A bond that we forfeited. */
type Forfeit = Pick<JournalEntry, 'sourceChainId' | 'tokenA' | 'amountA' | 'reward'>

/** What we noticed in the last 24 hours to be forfeited. */
export async function loadDayForfeits(db: Db, account: Address): Promise<Forfeit[]> {
  const { rows } = await sql<Forfeit>`
    select source_chain_id as "sourceChainId", token_a as "tokenA", amount_a as "amountA", reward
    from solver.intent where account = ${account.toLowerCase()} and outcome = 'slashed'
      and changed_at > clock_timestamp() - interval '24 hours'`.execute(db)
  return rows
}

/** Until when our delivery must be mined, unix seconds; null when none is due. */
export async function findFillDeadline(
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
    select null as outcome, count(*) as count from solver.intent
    where account = ${account.toLowerCase()} and outcome is null
    union all
    select outcome, count from solver.outcome_count
    where account = ${account.toLowerCase()}`.execute(db)
  const stats: SolverStats = { active: 0, settled: 0, lost: 0, slashed: 0, cancelled: 0 }
  for (const { outcome, count } of rows) stats[outcome ?? 'active'] = count
  return stats
}

/** Whether the operator lets the solver bid; true by default. */
export async function isRunning(db: Db, account: Address): Promise<boolean> {
  const { rows } = await sql<{ running: boolean }>`
    select running from solver.switch where account = ${account.toLowerCase()}`.execute(db)
  return rows[0]?.running ?? true
}

/** Survives restarts. */
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
