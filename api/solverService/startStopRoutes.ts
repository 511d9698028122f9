import { z } from '@hono/zod-openapi'
import type { SolverService } from '../../services/solver/solverServiceInterface.ts'
import { type App, addEndpoint, success } from '../http/addEndpoint.ts'
import type { AdminGate } from '../http/auth/adminGate.ts'

const answer = success({
  running: z.boolean(),
  message: z.string(),
})

/** `POST /start` and `POST /stop`, for admins. Idempotent. */
export function addStartStopRoutes(app: App, solver: SolverService, gate: AdminGate): void {
  for (const running of [true, false]) {
    const word = running ? 'start' : 'stop'
    addEndpoint(app, {
      method: 'post',
      path: `/${word}`,
      tag: 'Solver',
      summary: running ? 'Start bidding' : 'Stop bidding; obligations are still met',
      isForAdmins: true,
      answer,
      failures: [401, 403],
      // Before validation, so that an unauthorised caller learns nothing about valid requests.
      before: (c) => void gate.enter(c),
      handler: async () => {
        const changed = await solver.setRunning(running)
        const state = running ? 'running' : 'stopped'
        const message = changed ? `the solver is now ${state}` : `the solver was already ${state}`
        return { running, message }
      },
    })
  }
}
