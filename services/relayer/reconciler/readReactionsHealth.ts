import { sql } from 'kysely'
import { z } from 'zod'
import type { SenderReport } from '../../chain/transactions/startSender.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import { readRoleStatuses } from '../../store/roles/readRoleStatuses.ts'
import type { RelayerProblem } from './relayerProblem.ts'

const amount = z.string().regex(/^\d{1,78}$/)
const price = z.string().regex(/^[1-9]\d{0,77}$/)
const chainId = z.number()

const statusSchema = z.object({
  /** Names under which it takes jobs. */
  workers: z.array(z.string()),
  /** The account that pays for everything, in lower case. */
  relayer: z.string(),
  enclave: z.enum(['ok', 'unreachable']),
  /** What keeps it from working without causing errors. */
  problems: z
    .array(
      z.object({
        chainId,
        code: z.string() as z.ZodType<RelayerProblem['code']>,
        cause: z.string(),
        fix: z.string(),
      }),
    )
    .optional(),
  /** How it sums up the day's gas that no fee covers: `/health` and the metrics show what its budgets count. Decimal. */
  unpaidGas: z
    .array(z.object({ chainId, cap: price, ofSender: amount, limit: amount.optional() }))
    .optional(),
  senders: z.array(
    z.object({
      chainId,
      isLeading: z.boolean(),
      /** Wei, decimal; null before the first read. */
      balance: amount.nullable(),
      outOfGas: z.number(),
      problem: z.string().nullable(),
    }),
  ),
})

/** An instance's state, which it writes once a second. */
export type ReactionsStatus = z.output<typeof statusSchema>

/** The state of all instances together. */
type ReactionsHealth = {
  /** `stopped`: no instance has written a heartbeat for ten seconds. */
  status: 'ok' | 'degraded' | 'stopped'
  enclave: 'ok' | 'unreachable' | 'unknown'
  /** The account that pays for everything, in lower case; null while unknown. */
  relayer: string | null
  accounts: {
    chainId: number
    /** Wei, decimal; null before the first read. */
    balance: string | null
    /** Transactions that wait because the account can't pay for them. */
    waiting: number
    /** Stable code of what keeps transactions from being sent; null if nothing does. */
    problem: string | null
  }[]
  /** What keeps it from working without causing errors, by chain. Reported once, even if several instances see it. */
  problems: RelayerProblem[]
  /** Seconds for which the oldest overdue effect has waited; null if none is overdue. */
  oldestSeconds: number | null
}

/** Seconds after which a waiting effect makes the reactions degraded. */
const LATE_AFTER = 60

/** What `/health` needs: a field that it doesn't need mustn't hide the others if it is missing. */
const HEALTH = statusSchema.omit({ workers: true, unpaidGas: true })
const SHARES = statusSchema.pick({ unpaidGas: true })

export async function readReactionsHealth(db: Db): Promise<ReactionsHealth> {
  const [instances, oldest] = await Promise.all([
    readRoleStatuses<ReactionsStatus>(db, 'reactions', HEALTH),
    sql<{ seconds: number | null }>`
      select extract(epoch from now() - min(wanted_since))::bigint as seconds from app.reaction
      where state = 'waiting' and isfinite(wanted_since)
        and coalesce(reason, '') not in ('NOT_CONFIRMED', 'LEFT_TO_OTHERS', 'FEE_TOO_SMALL')
        -- Anyone can abandon more intents than a day's gas refunds, which means no problem of ours.
        and not (kind = 'refund' and reason is not distinct from 'GAS_BUDGET_SPENT')`.execute(db),
  ])
  const oldestSeconds = oldest.rows[0]?.seconds ?? null
  const [first] = instances
  if (!first) {
    const nobody = { enclave: 'unknown', relayer: null } as const
    return { status: 'stopped', ...nobody, accounts: [], problems: [], oldestSeconds }
  }
  const enclave = instances.some((one) => one.enclave === 'ok') ? 'ok' : 'unreachable'
  const accounts = accountsOf(instances)
  const problems = problemsOf(instances)
  const isWell =
    enclave === 'ok' &&
    problems.length === 0 &&
    accounts.every(({ problem }) => problem === null) &&
    (oldestSeconds ?? 0) < LATE_AFTER
  return {
    status: isWell ? 'ok' : 'degraded',
    enclave,
    relayer: first.relayer,
    accounts,
    problems,
    oldestSeconds,
  }
}

function problemsOf(instances: readonly ReactionsStatus[]): RelayerProblem[] {
  const all = instances.flatMap(({ problems = [] }) => problems)
  const distinct = new Map(all.map((one) => [`${one.chainId} ${one.code} ${one.cause}`, one]))
  return [...distinct.values()].toSorted((a, b) => a.chainId - b.chainId)
}

/** How the reactions sum up the gas that no fee covers, by chain id, as they last reported it. */
export async function readUnpaidGasShares(
  db: Db,
): Promise<ReadonlyMap<number, { cap: bigint; ofSender: bigint; limit?: bigint }>> {
  const instances = await readRoleStatuses<Pick<ReactionsStatus, 'unpaidGas'>>(
    db,
    'reactions',
    SHARES,
    { stoppedToo: true },
  )
  const all = instances.toReversed().flatMap(({ unpaidGas = [] }) => unpaidGas)
  return new Map(
    all.map(({ chainId, cap, ofSender, limit }) => [
      chainId,
      {
        cap: BigInt(cap),
        ofSender: BigInt(ofSender),
        ...(limit !== undefined && { limit: BigInt(limit) }),
      },
    ]),
  )
}

/** For each chain, the report of the instance that sends there. */
function accountsOf(instances: readonly ReactionsStatus[]): ReactionsHealth['accounts'] {
  const leading = instances.flatMap(({ senders }) => senders.filter((one) => one.isLeading))
  return leading
    .toSorted((a, b) => a.chainId - b.chainId)
    .map(({ chainId, balance, outOfGas, problem }) => ({
      chainId,
      balance,
      problem,
      waiting: outOfGas,
    }))
}

export function senderStatus(report: SenderReport): ReactionsStatus['senders'][number] {
  const { chainId, isLeading, latest, problem } = report
  return {
    chainId,
    isLeading,
    balance: latest ? String(latest.balance) : null,
    outOfGas: latest?.outOfGas ?? 0,
    problem,
  }
}

type ReactionCount = {
  kind: string
  state: 'waiting' | 'refused'
  reason: string
  count: number
  /** Failed attempts, over all of them. */
  failures: number
  /** Age of the oldest. */
  seconds: number
}

export async function countReactions(db: Db): Promise<ReactionCount[]> {
  const { rows } = await sql<ReactionCount>`
    select kind, state, coalesce(reason, 'NONE') as reason, count(*) as count,
      sum(attempts)::bigint as failures,
      extract(epoch from clock_timestamp()
        - coalesce(min(wanted_since) filter (where isfinite(wanted_since)), clock_timestamp()))::bigint as seconds
    from app.reaction where state <> 'done' group by 1, 2, 3`.execute(db)
  return rows
}

type TransactionCount = { kind: string; chainId: number; state: string; count: number }

export async function countTransactions(db: Db): Promise<TransactionCount[]> {
  const { rows } = await sql<TransactionCount>`
    select kind, chain_id as "chainId", state, count(*) as count from app.transaction
    where state in ('chosen', 'signed', 'sent', 'mined') group by 1, 2, 3`.execute(db)
  return rows
}
