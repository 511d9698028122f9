import type { Logger } from 'pino'
import { createRepeatFilter } from './repeatFilter.ts'

/**
 * Logs failures of a role's loops at level `error`: a repeated one once a minute, although the loop retries every second.
 *
 * @returns a function from a loop's message to its `onProblem`
 */
export function createProblemLog(log: Logger): (message: string) => (error: unknown) => void {
  const isNew = createRepeatFilter()
  return (message) => (error) => {
    log[isNew(message, { why: String(error) }) ? 'error' : 'debug']({ err: error }, message)
  }
}
