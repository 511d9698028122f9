/** How long the same trouble is no news, in milliseconds. */
const OLD_NEWS_MS = 60_000

/**
 * Tells news from what a loop that runs every second would log again and again: true for a subject's
 * first trouble, for another than its last one, and for the same after a minute.
 */
export function createNewsFilter(): (subject: string, why: object) => boolean {
  const noticed = new Map<string, { words: string; at: number }>()
  return (subject, why) => {
    const words = JSON.stringify(why)
    const last = noticed.get(subject)
    const now = performance.now()
    if (last?.words === words && now - last.at < OLD_NEWS_MS) return false
    noticed.set(subject, { words, at: now })
    return true
  }
}
