import { z } from '@hono/zod-openapi'
import type { SolverService } from '../../services/solver/solverService.ts'
import { type App, addEndpoint } from '../http/addEndpoint.ts'

const answer = z.object({
  status: z.enum(['ok', 'degraded']),
  service: z.literal('bridge-solver'),
  timestamp: z.string(),
})

/** `GET /health`: `degraded` when no round has ended well for a while. */
export function addSolverHealth(app: App, solver: SolverService): void {
  addEndpoint(app, {
    method: 'get',
    path: '/health',
    tag: 'Solver',
    summary: 'Liveness',
    answer,
    handler: async () => ({
      status: solver.isAlive() ? 'ok' : 'degraded',
      service: 'bridge-solver',
      timestamp: new Date().toISOString(),
    }),
  })
}
