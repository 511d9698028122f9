import { randomUUID } from 'node:crypto'
import { type Repeated, repeat } from '../../../process/repeat.ts'
import { openDatabase } from '../../../store/database/database.ts'
import { removeRoleStatus, writeRoleStatus } from '../../../store/roles/roleStatus.ts'
import type { TransferFollower, TransferReport } from './startTransferFollower.ts'

/** How the following of each chain's transfers goes, as each instance writes it down once a second. */
export type TransfersStatus = { chains: TransferReport[] }

const EVERY_MS = 1_000

/** Writes down how this process's followers are, until stopped. */
export function writeTransferHeartbeats(
  databaseUrl: string,
  followers: readonly TransferFollower[],
): Repeated {
  const { db, close } = openDatabase({ databaseUrl, connections: 1 })
  const instance = randomUUID()
  // That the database was away is seen by the age of what was written.
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
