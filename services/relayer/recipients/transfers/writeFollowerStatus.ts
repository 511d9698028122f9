import { randomUUID } from 'node:crypto'
import { type Repeated, repeat } from '../../../process/repeat.ts'
import { openDatabase } from '../../../store/database/database.ts'
import { removeRoleStatus, writeRoleStatus } from '../../../store/roles/roleStatus.ts'
import type { TransferFollower, TransferReport } from './startTransferFollower.ts'

/** The state of following each chain's transfers, which each instance writes once a second. */
export type TransfersStatus = { chains: TransferReport[] }

const EVERY_MS = 1_000

/** Records the state of this process's followers, until stopped. */
export function writeFollowerStatus(
  databaseUrl: string,
  followers: readonly TransferFollower[],
): Repeated {
  const { db, close } = openDatabase({ databaseUrl, connections: 1 })
  const instance = randomUUID()
  // The heartbeat's age shows that the database was away.
  const writing = repeat(
    EVERY_MS,
    () => {},
    () => {
      const status: TransfersStatus = { chains: followers.map((follower) => follower.report()) }
      return writeRoleStatus(db, 'transfers', instance, status)
    },
  )
  return {
    stop: async () => {
      await writing.stop()
      await removeRoleStatus(db, 'transfers', instance).catch(() => {})
      await close()
    },
  }
}
