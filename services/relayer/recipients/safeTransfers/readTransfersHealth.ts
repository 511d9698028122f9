import { z } from 'zod'
import type { Db } from '../../../store/database/openDatabase.ts'
import { readRoleStatuses } from '../../../store/roles/readRoleStatuses.ts'
import type { SafesCount, TransferReport } from './startTransferFollower.ts'

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
  safes: SafesCount | null
}

const count = z.number()

const statusSchema = z.object({
  chains: z.array(
    z.object({
      chainId: z.number(),
      isLeading: z.boolean(),
      latest: z.object({ nextBlock: z.number(), head: z.number() }).nullable(),
      problem: z.string().nullable(),
      safes: z.object({ followed: count, quiet: count, behind: count }).nullable(),
      caughtUpAt: z.number().nullable(),
      failures: count,
    }),
  ),
})

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
    const { latest, problem, failures, caughtUpAt, safes } = report
    const lagSeconds =
      caughtUpAt === null ? null : Math.max(0, Math.floor((Date.now() - caughtUpAt) / 1_000))
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

/** An instance's report about following each chain's transfers. */
export type TransfersStatus = { chains: TransferReport[] }
