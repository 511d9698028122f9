import type { Logger } from 'pino'
import { createRepeatFilter } from './repeatFilter.ts'

/**
 * Logs failures of a role's loops, at level `error`: the same one once a minute, while the loop tries again every second.
 *
 * @returns for a loop's message, its `onProblem`
 */
export function createProblemLog(log: Logger): (message: string) => (error: unknown) => void {
  const isNew = createRepeatFilter()
  return (message) => (error) => {
    log[isNew(message, { why: String(error) }) ? 'error' : 'debug']({ err: error }, message)
  }
}
