import { BaseError, HttpRequestError, TimeoutError } from 'viem'

/**
 * A contract's answer; null for an unusable one. Throws when the node doesn't answer, which must not look like an empty
 * Safe.
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
  return (
    error.walk((one) => one instanceof HttpRequestError || one instanceof TimeoutError) !== null
  )
}
