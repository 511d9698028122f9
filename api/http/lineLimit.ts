/** Lines logged per second, at most: a refused client may keep sending requests. */
const MAX_LINES_PER_SECOND = 100

/**
 * Limits a log's lines.
 *
 * @returns a function to call for each line: how many were left out before it; null if this one must be left out too
 */
export function createLineLimit(now: () => number = () => performance.now()): () => number | null {
  let second = 0
  let written = 0
  let omitted = 0
  return () => {
    const current = Math.floor(now() / 1_000)
    if (current !== second) written = 0
    second = current
    written += 1
    if (written > MAX_LINES_PER_SECOND) {
      omitted += 1
      return null
    }
    const before = omitted
    omitted = 0
    return before
  }
}
