import { withDeadline } from './withDeadline.ts'

/** Values as they come, and null whenever none came for so many milliseconds. */
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
      // So that a failure meanwhile doesn't count as unhandled.
      next.catch(() => {})
      yield result.value
    }
  }
}
