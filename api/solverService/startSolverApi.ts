import type { SolverService } from '../../services/solver/solverService.ts'
import type { Answered } from '../http/accessLog.ts'
import { createAdminGate } from '../http/auth/adminGate.ts'
import type { Failure } from '../http/baseApp.ts'
import { listen } from '../http/listen.ts'
import { createSolverApp } from './createSolverApp.ts'

type SolverApiOptions = {
  solver: SolverService
  host: string
  /** 0: any free one. */
  port: number
  /** None: `/start` and `/stop` don't exist. */
  adminTokens: readonly string[]
  /** Called with answers of status 500 and above. */
  onFailure?: (failure: Failure) => void
  /** Called with every answer; see `createAccessLog`. */
  onAnswer?: (answered: Answered) => void
}

/** Serves a solver's own endpoints. */
export async function startSolverApi(
  options: SolverApiOptions,
): Promise<{ url: string; stop(): Promise<void> }> {
  const { solver, adminTokens, onFailure = () => {}, onAnswer = () => {} } = options
  const gate = adminTokens.length > 0 ? createAdminGate(adminTokens) : null
  const app = createSolverApp({ solver, gate, onFailure, meter: onAnswer })
  const server = await listen(app.fetch, options.host, options.port, {
    onMalformed: onAnswer,
  })
  const host = server.host.includes(':') ? `[${server.host}]` : server.host
  return { url: `http://${host}:${server.port}`, stop: () => server.stop() }
}
