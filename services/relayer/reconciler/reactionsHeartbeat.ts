import type { Pool } from 'pg'
import type { SenderReport } from '../../chain/transactions/startSender.ts'
import type { RelayerProblem } from './problems/problem.ts'

/** The state of the reactions, which each instance writes once a second. */
export type ReactionsStatus = {
  /** Names under which it takes jobs. */
  workers: string[]
  /** The account that pays for everything, lower case. */
  relayer: string
  enclave: 'ok' | 'unreachable'
  /** What keeps it from working although nothing fails. */
  problems?: RelayerProblem[]
  senders: {
    chainId: number
    isLeading: boolean
    /** Wei, decimal; null before the first look. */
    balance: string | null
    live: number
    outOfGas: number
    problem: string | null
  }[]
}

/** Rows of instances that ended long ago are useless. */
const FORGET_AFTER = '1 hour'

/** Writes an instance's status. */
export async function writeHeartbeat(
  pool: Pool,
  instance: string,
  status: ReactionsStatus,
): Promise<void> {
  await pool.query(
    `insert into app.role_status (role, instance, status) values ('reactions', $1, $2)
     on conflict (role, instance) do update
       set status = excluded.status, beat_at = clock_timestamp()`,
    [instance, JSON.stringify(status)],
  )
}

/** Deletes the status of an instance that ended in order, and those of long-gone instances. */
export async function removeHeartbeat(pool: Pool, instance: string): Promise<void> {
  await pool.query(
    `delete from app.role_status where role = 'reactions'
       and (instance = $1 or beat_at < now() - $2::interval)`,
    [instance, FORGET_AFTER],
  )
}

export function senderStatus(report: SenderReport): ReactionsStatus['senders'][number] {
  const { chainId, isLeading, latest, problem } = report
  return {
    chainId,
    isLeading,
    balance: latest ? String(latest.balance) : null,
    live: latest?.live ?? 0,
    outOfGas: latest?.outOfGas ?? 0,
    problem,
  }
}
