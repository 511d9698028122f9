import { randomUUID } from 'node:crypto'
import { type Repeated, repeat } from '../../process/repeat.ts'
import type { Db } from '../../store/database/database.ts'
import { removeRoleStatus, writeRoleStatus } from '../../store/roles/roleStatus.ts'

/** What an instance of the role reports. */
export type PushStatus = {
  /** It has the key of the webhooks' secrets. */
  delivers: boolean
}

const EVERY_MS = 1_000

/** Writes down once a second that this instance runs, until stopped. */
export function writePushStatus(db: Db, status: PushStatus): Repeated {
  const instance = randomUUID()
  // The heartbeat's age shows that the database was away.
  const writing = repeat(
    EVERY_MS,
    () => {},
    () => writeRoleStatus(db, 'push', instance, status),
  )
  return {
    stop: async () => {
      await writing.stop()
      await removeRoleStatus(db, 'push', instance).catch(() => {})
    },
  }
}
