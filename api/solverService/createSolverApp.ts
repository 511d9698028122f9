import type { SolverService } from '../../services/solver/solverService.ts'
import type { App } from '../http/addEndpoint.ts'
import type { AdminGate } from '../http/auth/adminGate.ts'
import { baseApp, type Failure } from '../http/baseApp.ts'
import { trustProxies } from '../http/limits/clientAddress.ts'
import { createRequestGate, DEFAULT_LIMITS } from '../http/limits/requestGate.ts'
import type { RequestMeter } from '../http/metrics.ts'
import { addActiveIntents } from './activeIntents.ts'
import { addSolverHealth } from './health.ts'
import { addIntentStatus } from './intentStatus.ts'
import { addStartStop } from './startStop.ts'
import { addSolverStatus } from './status.ts'

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
}): App {
  const { solver, gate, ...http } = options
  const app = baseApp({
    ...http,
    gate: createRequestGate(DEFAULT_LIMITS),
    trusts: trustProxies([]),
    isPublic: false,
  })
  addSolverHealth(app, solver)
  addSolverStatus(app, solver)
  addActiveIntents(app, solver)
  addIntentStatus(app, solver)
  if (gate) addStartStop(app, solver, gate)
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
