import type { App } from './addEndpoint.ts'
import { ApiError, NotFoundError } from './apiError.ts'
import { errorResponse } from './errorResponse.ts'

/** Answers requests without an endpoint: 405 where the path has another method, else 404. */
export function refuseUnknown(app: App): void {
  const allowed = allowedMethods(app)
  app.notFound((c) => {
    const allow = allowed(c.req.path).join(', ')
    const error = allow === '' ? new NotFoundError('no such endpoint') : wrongMethod(allow)
    c.set('code', error.code)
    const answer = errorResponse(error, c.get('requestId'))
    if (allow !== '') answer.headers.set('allow', allow)
    return answer
  })
}

/** Finds the methods that a path answers to; none for a path that isn't there. */
function allowedMethods(app: App): (path: string) => string[] {
  let known: { method: string; pattern: RegExp }[] | null = null
  return (path) => {
    // Once all endpoints are there, which is before the first request. Middleware is for any method.
    known ??= app.routes
      .filter(({ method }) => method !== 'ALL')
      .map((route) => ({ method: route.method, pattern: patternOf(route.path) }))
    const methods = new Set(
      known.flatMap(({ method, pattern }) => (pattern.test(path) ? method : [])),
    )
    if (methods.size === 0) return []
    return [...methods, ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS'].sort()
  }
}

/** `/intents/:id/events` as a pattern; our own paths contain no other special characters. */
function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`)
}

/** @param allow the path's methods, as the header names them */
function wrongMethod(allow: string): ApiError {
  return new ApiError(`this path answers to ${allow}`, { status: 405, code: 'METHOD_NOT_ALLOWED' })
}
