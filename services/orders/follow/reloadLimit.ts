/** Longest wait between two reloads. */
const LONGEST_MS = 86_400_000

/**
 * Limits how often a contradiction has the history read again: each step waits meanwhile, and if a node lacks a log for good, no
 * reading helps. The wait doubles until a check of all orders finds nothing.
 *
 * @param leastMs between two reloads
 * @param now milliseconds by a clock that nobody sets
 */
export function createReloadLimit(leastMs: number, now = () => performance.now()) {
  let waitMs = leastMs
  let reloadFrom = Number.NEGATIVE_INFINITY
  let checkedInARow = 0
  return {
    /**
     * Whether to reload now.
     *
     * @param checked orders that were checked
     * @param total orders that there are
     */
    decide(isContradicted: boolean, checked: number, total: number): boolean {
      if (!isContradicted) {
        checkedInARow += checked
        if (checkedInARow >= total) waitMs = leastMs
        return false
      }
      checkedInARow = 0
      if (now() < reloadFrom) return false
      reloadFrom = now() + waitMs
      waitMs = Math.min(2 * waitMs, LONGEST_MS)
      return true
    },
  }
}
