import { type HttpTransport, http } from 'viem'
import { readBodyWithin } from './readBodyWithin.ts'

/** Size limit of an answer, as viem has it. */
const MOST_BYTES = 10 * 1024 * 1024

/** An answer, or those of a batch together, exceed the limit. */
export class AnswerTooLongError extends Error {
  override readonly name = 'AnswerTooLongError'
}

/**
 * viem's HTTP transport with a time limit on the whole answer. viem's own limit ends with the headers: a node that sends
 * them and then stalls would never be given up for the next one.
 */
export function createHttpTransport(
  url: string,
  options: { timeout: number; retryCount: number },
): HttpTransport {
  return http(url, { ...options, fetchFn: fetchWithBody })
}

/** Resolves once the body is there, because viem's timeout aborts only what happens in here. */
export async function fetchWithBody(
  input: string | URL | Request,
  init?: RequestInit,
): Promise<Response> {
  const response = await fetch(input, init)
  const body = await readBodyWithin(response.body, MOST_BYTES)
  if (body === null) throw new AnswerTooLongError(`the answer exceeds ${MOST_BYTES} bytes`)
  const { status, statusText, headers } = response
  // A response that may have no body, such as 204, may not have an empty one either.
  return new Response(body.length > 0 ? body : null, { status, statusText, headers })
}
