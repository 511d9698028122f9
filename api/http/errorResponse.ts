import type { ApiError } from './apiError.ts'

/** The one shape of every failure: `{success: false, error, code, requestId, details?}`. */
export function errorBody(error: ApiError, requestId: string): string {
  const { message, code, details } = error
  return JSON.stringify({ success: false, error: message, code, requestId, details })
}

/** An answer that tells of a failure. Never cached. */
export function errorResponse(error: ApiError, requestId: string): Response {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'cache-control': 'no-store',
  }
  if (error.retryAfter !== null) headers['retry-after'] = String(error.retryAfter)
  return new Response(errorBody(error, requestId), { status: error.status, headers })
}
