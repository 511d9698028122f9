/** Resolves after this many milliseconds; rejects with the signal's reason when aborted. */
export function abortableSleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const timer = setTimeout(done, milliseconds)
    function done() {
      signal?.removeEventListener('abort', stop)
      resolve()
    }
    function stop() {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', stop, { once: true })
  })
}

/** Milliseconds before the next attempt: exponential backoff with jitter. */
export function backoff(attempt: number, firstMs: number, longestMs: number): number {
  return Math.min(firstMs * 2 ** attempt, longestMs) * (0.75 + Math.random() / 2)
}
