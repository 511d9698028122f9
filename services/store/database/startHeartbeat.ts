/**
 * Runs `beat`, such as a query that shows whether a connection is alive, at an interval. Not while the one before runs: those
 * that a silent server doesn't answer would only queue on the connection, which `pg` will refuse.
 *
 * @returns stops it
 */
export function startHeartbeat(everyMs: number, beat: () => Promise<unknown>): () => void {
  let isBeating = false
  const timer = setInterval(() => {
    if (isBeating) return
    isBeating = true
    const ended = () => {
      isBeating = false
    }
    beat().then(ended, ended)
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
