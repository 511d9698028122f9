import type { SolverService } from '../../services/solver/solverServiceInterface.ts'
import type { Answered } from '../http/accessLog.ts'
import { createAdminGate } from '../http/auth/adminGate.ts'
import { createBaseApp, type Failure } from '../http/baseApp.ts'
import { createProblemMetrics } from '../http/createProblemMetrics.ts'
import { SOLVER_OPERATION_IDS } from '../http/docs/operationIds.ts'
import { serveOpenApi } from '../http/docs/serveOpenApi.ts'
import { trustProxies } from '../http/limits/clientAddress.ts'
import { createRequestGate, DEFAULT_LIMITS } from '../http/limits/requestGate.ts'
import { listen } from '../http/listen.ts'
import { addReadings, createMetrics, createRequestMeter, serveMetrics } from '../http/metrics.ts'
import { addActiveIntentsRoute } from './activeIntentsRoute.ts'
import { addIntentStatusRoutes } from './intentStatusRoutes.ts'
import { isLoopback, refuseForeignHosts } from './refuseForeignHosts.ts'
import { addSolverHealthRoute, addSolverStatusRoute } from './solverStatusRoutes.ts'
import { addStartStopRoutes } from './startStopRoutes.ts'

type SolverApiOptions = {
  solver: SolverService
  host: string
  /** 0: any free port. */
  port: number
  /** If empty, `/start` and `/stop` don't exist. */
  adminTokens: readonly string[]
  /** Called with answers of status 500 and above. */
  onFailure?: (failure: Failure) => void
  /** Called with every answer; see `createAccessLog`. */
  onAnswer?: (answered: Answered) => void
}

/**
 * Serves a solver's HTTP API, with the same request ids, limits and errors as all APIs. Every path also answers under
 * `/v1`.
 */
export async function startSolverApi(
  options: SolverApiOptions,
): Promise<{ url: string; stop(): Promise<void> }> {
  const { solver, adminTokens, onFailure = () => {}, onAnswer } = options
  const metrics = createMetrics()
  const readHealth = async () => {
    const isOk = solver.isAlive()
    const codes = [...(isOk ? [] : ['degraded']), ...solver.policyProblems()]
    return { isOk, problems: codes.map((code) => ({ part: 'solver', chain: '', code })) }
  }
  addReadings(metrics, createProblemMetrics(readHealth))
  const meter = createRequestMeter(metrics, onAnswer)
  const app = createBaseApp({
    onFailure,
    meter,
    gate: createRequestGate(DEFAULT_LIMITS),
    isTrustedProxy: trustProxies([]),
    isPublic: false,
  })
  if (isLoopback(options.host === '::1' ? '[::1]' : options.host)) app.use(refuseForeignHosts())
  addSolverHealthRoute(app, solver)
  addSolverStatusRoute(app, solver)
  addActiveIntentsRoute(app, solver)
  addIntentStatusRoutes(app, solver)
  serveMetrics(app, metrics)
  if (adminTokens.length > 0) addStartStopRoutes(app, solver, createAdminGate(adminTokens))
  serveOpenApi(app, {
    title: 'Cairn solver',
    operationIds: SOLVER_OPERATION_IDS,
    description:
      'One solver: its balances, bids and results. Amounts are decimal strings in token base units.',
  })
  return listen(app.fetch, options.host, options.port, { onMalformed: meter })
}
