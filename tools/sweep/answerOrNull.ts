import { BaseError, HttpRequestError, TimeoutError } from 'viem'

/**
 * The answer, or null where a contract gave none that can be used. A server that can't be asked is
 * no answer: it must not pass for an empty Safe.
 */
export async function answerOrNull<Answer>(asking: Promise<Answer>): Promise<Answer | null> {
  try {
    return await asking
  } catch (error) {
    if (isUnreachable(error)) throw error
    return null
  }
}

/** Whether it was the server that failed, and not what was asked. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false
  return (
    error.walk((one) => one instanceof HttpRequestError || one instanceof TimeoutError) !== null
  )
}
