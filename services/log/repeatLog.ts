import type { Logger } from 'pino'

/** Milliseconds for which the same problem isn't logged again. */
const REPEAT_AFTER_MS = 60_000

/**
 * Keeps a loop from logging the same problem every second: a subject's first problem, a different one, and the same one
 * after a minute have their own level; others have `debug`.
 */
export function createRepeatLog(log: Logger) {
  const noticed = new Map<string, { words: string; at: number }>()
  return (level: 'warn' | 'error', subject: string, why: object, message: string, facts = why) => {
    const words = JSON.stringify(why)
    const last = noticed.get(subject)
    const now = performance.now()
    const isRepeated = last?.words === words && now - last.at < REPEAT_AFTER_MS
    if (!isRepeated) noticed.set(subject, { words, at: now })
    log[isRepeated ? 'debug' : level](facts, message)
  }
}

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
