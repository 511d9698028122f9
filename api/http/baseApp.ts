import { OpenAPIHono } from '@hono/zod-openapi'
import { cors } from 'hono/cors'
import type { ApiError } from './apiError.ts'
import { compressResponses } from './compression/compressResponses.ts'
import type { Compressor } from './compression/createCompressor.ts'
import { createErrorResponse, errorHeaders } from './errorResponse.ts'
import type { ApiEnv } from './honoEnvironment.ts'
import type { IsTrustedProxy } from './limits/clientAddress.ts'
import { limitRequests } from './limits/limitRequests.ts'
import type { RequestGate } from './limits/requestGate.ts'
import { measureRequests, type RequestMeter } from './metrics.ts'
import { limitBody } from './readJsonBody.ts'
import { refuseUnmatchedRequests } from './refuseUnmatchedRequests.ts'
import { chooseRequestId } from './requestId.ts'
import { setSecurityHeaders } from './setSecurityHeaders.ts'
import { toApiError } from './toApiError.ts'

/** An internal error or a failed dependency, to be logged. It never contains what a client sent. */
export type Failure = { requestId: string; method: string; route: string; error: ApiError }

export type BaseAppOptions = {
  gate: RequestGate
  isTrustedProxy: IsTrustedProxy
  meter: RequestMeter
  /** Called for each response of status 500 or above. */
  onFailure: (failure: Failure) => void
  /** Without one, responses aren't compressed and default to `no-store`. */
  compressor?: Compressor
  /** Whether other origins' scripts may call the API (CORS). */
  isPublic: boolean
}

/** Response headers that other origins' scripts may read. */
export const EXPOSED = [
  'ETag',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'X-Request-Id',
  'Deprecation',
  'Sunset',
]

/**
 * An app without endpoints: request ids, headers, limits and errors. Each path is also served under `/v1` and
 * with a trailing slash.
 */
export function createBaseApp(options: BaseAppOptions): OpenAPIHono<ApiEnv> {
  const { gate, isTrustedProxy, meter, compressor, isPublic, onFailure } = options
  const app = new OpenAPIHono<ApiEnv>({ getPath: (request) => versionlessPath(request.url) })
  app.use(measureRequests(meter), async (c, next) => {
    const requestId = chooseRequestId(c.req.header('x-request-id'))
    c.set('requestId', requestId)
    await next()
    const { headers } = c.res
    headers.set('x-request-id', requestId)
    if (!compressor && !headers.has('cache-control')) headers.set('cache-control', 'no-store')
  })
  if (compressor) app.use(compressResponses(compressor))
  app.use(setSecurityHeaders())
  if (isPublic) app.use(cors({ origin: '*', exposeHeaders: EXPOSED, maxAge: 86_400 }))
  app.use(limitRequests(gate, isTrustedProxy))
  app.use(limitBody)
  app.onError((error, c) => {
    const answer = toApiError(error)
    const requestId = c.get('requestId') ?? chooseRequestId(undefined)
    c.set('code', answer.code)
    if (answer.status >= 500) {
      const route = c.get('route') ?? 'unknown'
      onFailure({ requestId, method: c.req.method, route, error: answer })
    }
    // Overrides the headers of the general limit, which let the request pass.
    for (const [name, value] of Object.entries(errorHeaders(answer))) c.header(name, value)
    return createErrorResponse(answer, requestId)
  })
  refuseUnmatchedRequests(app, isPublic)
  return app
}

/** `/v1/intents/?limit=1` → `/intents`. */
export function versionlessPath(url: string): string {
  const path = pathOf(url)
  const versionless = path === '/v1' || path.startsWith('/v1/') ? path.slice(3) : path
  return versionless.length > 1 && versionless.endsWith('/')
    ? versionless.slice(0, -1)
    : versionless || '/'
}

function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  if (start === -1) return '/'
  const end = url.slice(start).search(/[?#]/)
  return end === -1 ? url.slice(start) : url.slice(start, start + end)
}
