import { BaseError, HttpRequestError, TimeoutError } from 'viem'
import { NonsenseAnswerError } from '../checkedHttpTransport.ts'

/**
 * A contract's answer; null for an unusable one. Throws when the node doesn't answer, or with nonsense, which must not
 * look like an empty Safe.
 */
export async function contractAnswerOrNull<Answer>(
  asking: Promise<Answer>,
): Promise<Answer | null> {
  try {
    return await asking
  } catch (error) {
    if (isUnreachable(error)) throw error
    return null
  }
}

/** Whether the node failed, not the call. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false
  const isOutage = (one: unknown) =>
    one instanceof HttpRequestError ||
    one instanceof TimeoutError ||
    one instanceof NonsenseAnswerError
  return error.walk(isOutage) !== null
}
