import type { App } from './addEndpoint.ts'
import { allowedMethods } from './allowedMethods.ts'
import { MethodError, NotFoundError } from './apiError.ts'
import { errorResponse } from './errorResponse.ts'

/** Answers requests without an endpoint: 405 where the path has another method, else 404. */
export function refuseUnknown(app: App): void {
  const allowed = allowedMethods(app)
  app.notFound((c) => {
    const allow = allowed(c.req.path).join(', ')
    const error = allow === '' ? new NotFoundError('no such endpoint') : new MethodError(allow)
    c.set('code', error.code)
    const answer = errorResponse(error, c.get('requestId'))
    if (allow !== '') answer.headers.set('allow', allow)
    return answer
  })
}
