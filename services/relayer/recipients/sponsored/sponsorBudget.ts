import { type RawBuilder, sql } from 'kysely'
import { type Hash, type PublicClient, TransactionReceiptNotFoundError } from 'viem'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import { findMajority } from '../../../chain/transactions/medianAndMajority.ts'
import { findDailyBudget, type SponsorLimits } from '../../../config/sponsorLimits.ts'
import type { Db } from '../../../store/database/openDatabase.ts'
import { SponsorError, type Sponsorship } from './sponsorContext.ts'

/** SQL: what sponsored transactions cost, without tampered rows that cost NaN. */
const WEI = sql<bigint>`coalesce(sum(earlier_wei + coalesce(spent_wei, reserved_wei))
  filter (where earlier_wei + coalesce(spent_wei, reserved_wei) < 'NaN'), 0)::numeric`

/** SQL: whether a timestamp is of the last 24 hours. A tampered row dated in the future would use up every day's budget. */
function isOfDay(moment: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`${moment} > now() - interval '24 hours' and ${moment} < now() + interval '1 hour'`
}

/** Transactions whose cost is read concurrently. */
const LOOKS = 20

/**
 * Requires that a Safe and a chain have some of their 24 hours' budget left. A transaction that isn't in a block yet
 * counts at its first price; the cost of a replacement or of a rollup's parent chain is added with the receipt. A Safe
 * has at most one pending transaction, so the budget can be exceeded by that much.
 *
 * @throws SponsorError `RELAY_BUDGET_SPENT`
 */
export async function requireBudget(
  db: Db,
  { chainId, safeAddress, cost }: { chainId: number; safeAddress: Hex; cost: bigint },
  { perSafe, ...limits }: Pick<SponsorLimits, 'perSafe' | 'weiPerDay'>,
): Promise<void> {
  const { rows } = await sql<{ wei: bigint; ofSafe: number }>`
    select ${WEI} as wei,
      least(coalesce(sum(1 + t.round::bigint) filter (where s.safe_address = ${safeAddress}), 0),
        2147483647)::integer as "ofSafe"
    from app.sponsored_transaction s join app.transaction t on t.id = s.transaction_id
    where s.chain_id = ${chainId}::bigint
      and ${isOfDay(sql`s.requested_at`)}`.execute(db)
  const { wei = 0n, ofSafe = 0 } = rows[0] ?? {}
  if (ofSafe >= perSafe) {
    throw spent(
      `the relayer has paid for ${perSafe} transactions of this Safe in 24 hours: send it yourself`,
    )
  }
  if (BigInt(wei) + cost > findDailyBudget(chainId, limits)) {
    throw spent('the relayer’s 24-hour budget on this chain is spent: send it yourself, or wait')
  }
}

/**
 * Counts one more transaction of a client on this day, by the database's clock: APIs whose clocks differ would count
 * different days, and delete each other's counts.
 *
 * @throws SponsorError `RELAY_BUDGET_SPENT`
 */
export async function countForClient(
  db: Db,
  client: string,
  { perClient }: Pick<SponsorLimits, 'perClient'>,
): Promise<void> {
  await sql`delete from app.sponsored_client where day < current_date`.execute(db)
  const { rows } = await sql<{ count: number }>`
    insert into app.sponsored_client as known (day, client, count)
    values (current_date, sha256(convert_to(current_date || ' ' || ${client}::text, 'UTF8')), 1)
    on conflict (day, client) do update set count = known.count + 1
    returning count`.execute(db)
  if ((rows[0]?.count ?? 0) <= perClient) return
  throw spent(
    `the relayer has paid for ${perClient} of your transactions today: send it yourself, or wait`,
  )
}

function spent(message: string): SponsorError {
  return new SponsorError('RELAY_BUDGET_SPENT', message)
}

/** How many times its estimate a rollup's fee for data may be. */
const DATA_FEE_MARGIN = 10

/**
 * Records unknown costs of transactions from the receipt that most nodes have: the latest first, since a node may never
 * find old receipts. A cost above what the signed bytes allow is a lie, which would spend the day's budget: the reserve
 * stays.
 */
export async function noteSpending({
  db,
  nodes,
  chainId,
}: Pick<Sponsorship, 'db' | 'nodes' | 'chainId'>): Promise<void> {
  const { rows } = await sql<{ id: number; txHash: Hash | null; most: bigint | null }>`
    select t.id, t.tx_hash as "txHash",
      (v.gas_limit * v.max_fee + ${sql.lit(DATA_FEE_MARGIN)} * t.l1_fee)::numeric as most
    from app.sponsored_transaction s
    join app.transaction t on t.id = s.transaction_id
    left join app.transaction_version v on v.hash = t.tx_hash and v.max_fee < 'NaN' and t.l1_fee < 'NaN'
    where s.chain_id = ${chainId}::bigint and s.spent_wei is null
      and t.state in ('mined', 'confirmed', 'failed', 'superseded')
    order by t.id desc limit ${LOOKS}`.execute(db)
  await Promise.all(
    rows.map(async ({ id, txHash, most }) => {
      // Without a hash it was never in a block.
      const wei = txHash === null ? 0n : await costOf(nodes, txHash)
      if (wei === null || (most !== null && wei > BigInt(most))) return
      await sql`update app.sponsored_transaction set spent_wei = ${String(wei)}::numeric
        where transaction_id = ${id}`.execute(db)
    }),
  )
}

/** Null while the nodes have no receipt. On rollups, includes the parent chain's cost. */
async function costOf({ queryAll }: Sponsorship['nodes'], hash: Hash): Promise<bigint | null> {
  const costAt = async (client: Pick<PublicClient, 'getTransactionReceipt'>) => {
    const receipt = await client.getTransactionReceipt({ hash }).catch((error: unknown) => {
      if (error instanceof TransactionReceiptNotFoundError) return null
      throw error
    })
    if (receipt === null) return null
    const l1Fee = (receipt as { l1Fee?: bigint | Hex | null }).l1Fee ?? 0n
    return receipt.gasUsed * receipt.effectiveGasPrice + BigInt(l1Fee)
  }
  return findMajority(await queryAll(costAt, String).catch(() => []), String)
}

/** What the relayer has paid for on one chain, of one kind, in total. */
type ChainSpending = {
  chainId: number
  kind: string
  count: number
  /** Unknown costs count as their reserve. */
  wei: bigint
}

/** What was paid for in the last 24 hours on one chain, of one kind. */
export type DaySpending = { chainId: number; kind: string; wei: bigint }

/** What the relayer has paid for Safe owners. */
export async function readSpending(db: Db): Promise<ChainSpending[]> {
  const { rows } = await sql<ChainSpending>`
    select chain_id as "chainId", kind, count::integer as count, wei
    from app.sponsored_total where count > 0 order by 1, 2`.execute(db)
  return rows
}

/** What was paid for in the last 24 hours. */
export async function readDaySpending(db: Db): Promise<DaySpending[]> {
  return (await daySpendingQuery().execute(db)).rows
}

/** The statement of `readDaySpending`: reads the day's rows only. */
export function daySpendingQuery(): RawBuilder<DaySpending> {
  return sql<DaySpending>`
    select chain_id as "chainId", kind, ${WEI} as wei
    from app.sponsored_transaction where ${isOfDay(sql`requested_at`)}
    group by 1, 2`
}
