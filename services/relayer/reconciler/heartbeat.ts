import type { Pool } from 'pg'
import type { SenderReport } from '../../chain/transactions/startSender.ts'
import type { RelayerProblem } from './problems/problem.ts'

/** How the reactions are, as each instance writes it down once a second. */
export type ReactionsStatus = {
  /** Names under which it takes jobs. */
  workers: string[]
  /** The account that pays for everything, lower case. */
  relayer: string
  enclave: 'ok' | 'unreachable'
  /** What keeps it from its work without anything failing. */
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

/** Rows of instances that ended long ago are of no use to anybody. */
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

/** Takes an instance's status away: it ended in order. And those of instances long gone. */
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
