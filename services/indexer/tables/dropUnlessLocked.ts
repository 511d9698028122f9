import type { ClientBase, Pool } from 'pg'
import { isLockedByOthers } from '../../store/database/isLockedByOthers.ts'

/**
 * Longest wait for one table, in milliseconds: readers queue behind it. Less than the second after which PostgreSQL looks
 * for a deadlock: a backup that has just begun, or a Ponder, may hold a table and wait for another, and would be ended.
 */
const LOCK_MS = 300

/**
 * Runs a `drop` statement.
 *
 * @returns false when other sessions held a table for too long
 */
export async function dropUnlessLocked(
  client: ClientBase | Pool,
  statement: string,
): Promise<boolean> {
  try {
    // One message to the server, so one transaction.
    await client.query(`set local lock_timeout = ${LOCK_MS}; ${statement}`)
    return true
  } catch (error) {
    if (isLockedByOthers(error)) return false
    throw error
  }
}
