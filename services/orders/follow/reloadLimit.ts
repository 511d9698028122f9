import { createGrowingWait } from './growingWait.ts'

/**
 * Limits how often a contradiction has the history read again: each step waits meanwhile, and if a node lacks a log for good, no
 * reading helps. The wait grows until a check of all orders finds nothing.
 *
 * @param leastMs between two reloads
 * @param now milliseconds by a clock that nobody sets
 */
export function createReloadLimit(leastMs: number, now?: () => number) {
  const wait = createGrowingWait(leastMs, now)
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
        if (checkedInARow >= total) wait.reset()
        return false
      }
      checkedInARow = 0
      if (!wait.isOver()) return false
      wait.start()
      wait.grow()
      return true
    },
  }
}
