import { withDeadline } from './withDeadline.ts'

/** Yields each value as it arrives, and null after each `everyMs` without one. */
export async function* withHeartbeats<Value>(
  values: AsyncIterator<Value>,
  everyMs: number,
): AsyncGenerator<Value | null> {
  let next = values.next()
  for (;;) {
    const result = await withDeadline(everyMs, next, null)
    if (result === null) yield null
    else if (result.done) return
    else {
      next = values.next()
      // Prevents an unhandled rejection while the consumer is busy.
      next.catch(() => {})
      yield result.value
    }
  }
}
