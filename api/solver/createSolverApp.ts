import { OpenAPIHono } from '@hono/zod-openapi'
import type { SolverService } from '../../services/solver/solverService.ts'
import type { ApiEnv } from '../http/apiEnv.ts'
import type { AdminGate } from '../http/auth/adminGate.ts'
import { type Failure, versionlessPath } from '../http/createApp.ts'
import { errorResponse } from '../http/errorResponse.ts'
import { trustProxies } from '../http/limits/clientAddress.ts'
import { limitRequests } from '../http/limits/limitRequests.ts'
import { createRequestGate, DEFAULT_LIMITS } from '../http/limits/requestGate.ts'
import { measureRequests, type RequestMeter } from '../http/metrics.ts'
import { limitBody } from '../http/readBody.ts'
import { refuseUnknown } from '../http/refuseUnknown.ts'
import { requestIdFrom } from '../http/requestId.ts'
import { securityHeaders } from '../http/securityHeaders.ts'
import { toApiError } from '../http/toApiError.ts'
import { addActiveIntents } from './activeIntents.ts'
import { addSolverHealth } from './health.ts'
import { addIntentStatus } from './intentStatus.ts'
import { addSolverStatus } from './status.ts'
import { addSwitch } from './switch.ts'

/**
 * A solver's endpoints, with ids, limits and errors as everywhere else. Every path also answers under
 * `/v1`.
 *
 * @param options.gate null: `/start` and `/stop` don't exist
 */
export function createSolverApp(options: {
  solver: SolverService
  gate: AdminGate | null
  onFailure: (failure: Failure) => void
  meter: RequestMeter
}): OpenAPIHono<ApiEnv> {
  const { solver, gate, onFailure, meter } = options
  const app = new OpenAPIHono<ApiEnv>({ getPath: (request) => versionlessPath(request.url) })
  app.use(measureRequests(meter), async (c, next) => {
    const requestId = requestIdFrom(c.req.header('x-request-id'))
    c.set('requestId', requestId)
    await next()
    c.res.headers.set('x-request-id', requestId)
    c.res.headers.set('cache-control', 'no-store')
  })
  app.use(securityHeaders())
  app.use(limitRequests(createRequestGate(DEFAULT_LIMITS), trustProxies([])))
  app.use(limitBody)
  app.onError((error, c) => {
    const answer = toApiError(error)
    const requestId = c.get('requestId') ?? requestIdFrom(undefined)
    c.set('code', answer.code)
    if (answer.status >= 500) {
      onFailure({
        requestId,
        method: c.req.method,
        route: c.get('route') ?? 'unknown',
        error: answer,
      })
    }
    return errorResponse(answer, requestId)
  })
  refuseUnknown(app)
  addSolverHealth(app, solver)
  addSolverStatus(app, solver)
  addActiveIntents(app, solver)
  addIntentStatus(app, solver)
  if (gate) addSwitch(app, solver, gate)
  app.doc31('/openapi.json', {
    openapi: '3.1.0',
    info: {
      title: 'Cairn solver',
      version: '1',
      description:
        'One solver: its balances, bids and results. Amounts are decimal strings in token base units.',
    },
  })
  return app
}
