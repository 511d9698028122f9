import { type ApiError, RateLimitedError } from './apiError.ts'

/** The one shape of every failure: `{success: false, error, code, requestId, details?}`. */
export function errorBody(error: ApiError, requestId: string): string {
  const { message, code, details } = error
  return JSON.stringify({ success: false, error: message, code, requestId, details })
}

/** Headers of a failure. It is never cached. A limit that ran out is described. */
export function errorHeaders(error: ApiError): Record<string, string> {
  const { retryAfter } = error
  return {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    ...(retryAfter !== null && { 'retry-after': String(retryAfter) }),
    ...(error instanceof RateLimitedError && {
      'ratelimit-policy': error.notice.policy,
      ratelimit: error.notice.limit,
    }),
  }
}

/** The response for a failure. */
export function errorResponse(error: ApiError, requestId: string): Response {
  const headers = errorHeaders(error)
  return new Response(errorBody(error, requestId), { status: error.status, headers })
}
