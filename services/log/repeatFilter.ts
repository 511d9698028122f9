/** Milliseconds for which the same problem isn't logged again. */
const REPEAT_AFTER_MS = 60_000

/**
 * Keeps a loop from logging the same problem every second. True for a subject's first problem, for a different one,
 * and for the same one after a minute.
 */
export function createRepeatFilter(): (subject: string, why: object) => boolean {
  const noticed = new Map<string, { words: string; at: number }>()
  return (subject, why) => {
    const words = JSON.stringify(why)
    const last = noticed.get(subject)
    const now = performance.now()
    if (last?.words === words && now - last.at < REPEAT_AFTER_MS) return false
    noticed.set(subject, { words, at: now })
    return true
  }
}
