import type { Logger } from 'pino'
import { createRepeatLog } from './repeatLog.ts'

/**
 * Logs failures of a role's loops at level `error`: a repeated one once a minute, although the loop retries every second.
 *
 * @returns a function from a loop's message to its `onProblem`
 */
export function createProblemLog(log: Logger): (message: string) => (error: unknown) => void {
  const report = createRepeatLog(log)
  return (message) => (error) =>
    report('error', message, { why: String(error) }, message, { err: error })
}
