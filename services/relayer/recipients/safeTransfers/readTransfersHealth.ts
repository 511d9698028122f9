import { z } from 'zod'
import type { Db } from '../../../store/database/openDatabase.ts'
import { readRoleStatuses } from '../../../store/roles/readRoleStatuses.ts'

/** How one chain's Safes are followed. */
export type TransfersHealth = {
  chainId: number
  /**
   * `stopped`: no instance follows; `failing`: a node or the database fails; `behind`: not at the head for a minute.
   */
  status: 'ok' | 'behind' | 'failing' | 'stopped'
  /** Last block read; null before the first. */
  position: number | null
  /** The chain's head as the follower last saw it. */
  head: number | null
  /** When everything was last read; null if not since the follower's start. */
  lagSeconds: number | null
  /** Stable code of its problem; null without one. */
  problem: string | null
  /** Failed rounds since the follower's start. */
  failures: number
  /** The follower's last count; null before the first. */
  safes: TransferReport['safes']
}

const count = z.number()

const reportSchema = z.object({
  chainId: z.number(),
  /** Whether this process follows; another instance may. */
  isLeading: z.boolean(),
  /** Of the latest round; null before the first. */
  latest: z.object({ nextBlock: z.number(), head: z.number() }).nullable(),
  problem: z.string().nullable(),
  /** The last count; null before it. */
  safes: z
    .object({
      /** Safes read with their chain. */
      followed: count,
      /** Quiet Safes, which are read occasionally. Counted once a minute. */
      quiet: count,
      /** Safes whose history is still unread. */
      behind: count,
    })
    .nullable(),
  /** When everything was last read, in unix milliseconds; null before that. */
  caughtUpAt: z.number().nullable(),
  /** The follower's own time of the report, in unix milliseconds: the reader's clock may differ. Older versions omit it. */
  clock: z.number().optional(),
  /** Failed rounds since this process's start. */
  failures: count,
})

const statusSchema = z.object({ chains: z.array(reportSchema) })

/** The state of following one chain. */
export type TransferReport = z.output<typeof reportSchema>

/** An instance's report about following each chain's transfers. */
export type TransfersStatus = z.output<typeof statusSchema>

/** Seconds without reaching the head after which following counts as behind. */
const LATE_AFTER = 60

/** Reads the instances' reports about these chains. */
export async function readTransfersHealth(
  db: Db,
  chainIds: readonly number[],
): Promise<TransfersHealth[]> {
  // Latest first: a killed instance's report remains next to its successor's.
  const instances = await readRoleStatuses<TransfersStatus>(db, 'transfers', statusSchema)
  const leading = instances.flatMap(({ chains }) => chains).filter(({ isLeading }) => isLeading)
  return chainIds.map((chainId) => {
    const report = leading.find((one) => one.chainId === chainId)
    if (!report) return { chainId, status: 'stopped', ...NOTHING }
    const { latest, problem, failures, caughtUpAt, safes, clock = Date.now() } = report
    const lagSeconds =
      caughtUpAt === null ? null : Math.max(0, Math.floor((clock - caughtUpAt) / 1_000))
    const isLate = lagSeconds === null || lagSeconds > LATE_AFTER
    return {
      chainId,
      lagSeconds,
      problem,
      failures,
      safes,
      status: problem !== null ? 'failing' : isLate ? 'behind' : 'ok',
      position: latest && latest.nextBlock - 1,
      head: latest?.head ?? null,
    }
  })
}

const NOTHING = {
  position: null,
  head: null,
  lagSeconds: null,
  problem: null,
  failures: 0,
  safes: null,
}
