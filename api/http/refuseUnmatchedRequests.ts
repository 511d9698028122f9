import type { App } from './addEndpoint.ts'
import { ApiError, NotFoundError } from './apiError.ts'
import { createErrorResponse } from './errorResponse.ts'

/**
 * Answers requests that match no endpoint: 405 if the path has other methods, otherwise 404.
 *
 * @param hasOptions whether the app answers OPTIONS, for other origins' scripts
 */
export function refuseUnmatchedRequests(app: App, hasOptions: boolean): void {
  const allowed = allowedMethods(app, hasOptions)
  app.notFound((c) => {
    const allow = allowed(c.req.path).join(', ')
    const error =
      allow === ''
        ? new NotFoundError('no such endpoint: /openapi.json lists them', 'NOT_FOUND')
        : wrongMethod(allow)
    c.set('code', error.code)
    const answer = createErrorResponse(error, c.get('requestId'))
    if (allow !== '') answer.headers.set('allow', allow)
    return answer
  })
}

/** Returns a lookup of a path's methods; an unknown path has none. */
function allowedMethods(app: App, hasOptions: boolean): (path: string) => string[] {
  let known: { method: string; pattern: RegExp }[] | null = null
  return (path) => {
    // Read on the first request, when all endpoints are registered. `ALL` is middleware.
    known ??= app.routes
      .filter(({ method }) => method !== 'ALL')
      .map((route) => ({ method: route.method, pattern: patternOf(route.path) }))
    const methods = new Set(
      known.flatMap(({ method, pattern }) => (pattern.test(path) ? method : [])),
    )
    if (methods.size === 0) return []
    if (methods.has('GET')) methods.add('HEAD')
    if (hasOptions) methods.add('OPTIONS')
    return [...methods].sort()
  }
}

/** `/intents/:id/events` as a pattern. Paths contain no other special characters than dots. */
function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`)
}

function wrongMethod(allow: string): ApiError {
  return new ApiError(`this path allows only ${allow}`, { status: 405, code: 'METHOD_NOT_ALLOWED' })
}
