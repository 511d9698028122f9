import { OpenAPIHono } from '@hono/zod-openapi'
import { cors } from 'hono/cors'
import type { ApiEnv } from './apiEnv.ts'
import type { ApiError } from './apiError.ts'
import { compressAnswers } from './compression/compressAnswers.ts'
import type { Compressor } from './compression/createCompressor.ts'
import { type ExampleIntent, finishDocument, STAND_IN } from './docs/finishDocument.ts'
import { errorHeaders, errorResponse } from './errorResponse.ts'
import type { Trusts } from './limits/clientAddress.ts'
import { limitRequests } from './limits/limitRequests.ts'
import type { RequestGate } from './limits/requestGate.ts'
import { measureRequests, type RequestMeter } from './metrics.ts'
import { limitBody } from './readBody.ts'
import { refuseUnknown } from './refuseUnknown.ts'
import { requestIdFrom } from './requestId.ts'
import { securityHeaders } from './securityHeaders.ts'
import { toApiError } from './toApiError.ts'

/** An internal error or a failed dependency; never what a client sent. */
export type Failure = { requestId: string; method: string; route: string; error: ApiError }

type AppOptions = {
  gate: RequestGate
  trusts: Trusts
  meter: RequestMeter
  compressor: Compressor
  /** Called with every answer of status 500 and above. */
  onFailure: (failure: Failure) => void
  /** An intent that the documentation can show; null while there is none. */
  exampleIntent?: () => Promise<ExampleIntent | null>
}

/** Headers that scripts of other origins may read. */
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
 * The app without endpoints: ids, headers, limits, errors, documentation. Every path also answers
 * under `/v1`, and with a slash at its end.
 */
export function createApp(options: AppOptions): OpenAPIHono<ApiEnv> {
  const app = new OpenAPIHono<ApiEnv>({ getPath: (request) => versionlessPath(request.url) })
  app.use(measureRequests(options.meter), async (c, next) => {
    const requestId = requestIdFrom(c.req.header('x-request-id'))
    c.set('requestId', requestId)
    await next()
    c.res.headers.set('x-request-id', requestId)
  })
  app.use(compressAnswers(options.compressor))
  app.use(securityHeaders())
  app.use(cors({ origin: '*', exposeHeaders: EXPOSED, maxAge: 86_400 }))
  app.use(limitRequests(options.gate, options.trusts))
  app.use(limitBody)
  app.onError((error, c) => {
    const reported = toApiError(error)
    const requestId = c.get('requestId') ?? requestIdFrom(undefined)
    c.set('code', reported.code)
    if (reported.status >= 500) {
      const route = c.get('route') ?? 'unknown'
      options.onFailure({ requestId, method: c.req.method, route, error: reported })
    }
    // Replaces the headers of a wider limit that let the request through.
    for (const [name, value] of Object.entries(errorHeaders(reported))) c.header(name, value)
    return errorResponse(reported, requestId)
  })
  refuseUnknown(app)
  serveOpenApi(app, options.exampleIntent)
  return app
}

function serveOpenApi(app: OpenAPIHono<ApiEnv>, example: AppOptions['exampleIntent']): void {
  let document: object | null = null
  app.get('/openapi.json', async (c) => {
    c.set('route', '/openapi.json')
    document ??= app.getOpenAPI31Document({
      openapi: '3.1.0',
      info: {
        title: 'Cairn',
        version: '1',
        description:
          'State of confidential cross-chain intents. Amounts are decimal strings in token base units, ids decimal strings, times ISO 8601. Every path also answers under /v1.',
        license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
        contact: { name: 'The operator of this service' },
      },
      servers: [{ url: '.' }],
    })
    return c.json(finishDocument(document, (await example?.().catch(() => null)) ?? STAND_IN))
  })
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
