import { createAccessLog } from '../../api/http/accessLog.ts'
import { createFailureLog } from '../../api/http/failureLog.ts'
import { startSolverApi } from '../../api/solverService/startSolverApi.ts'
import { readSolverConfiguration } from '../config/readSolverConfiguration.ts'
import { createSolverAccount } from '../solver/account/solverAccount.ts'
import { startSolver } from '../solver/startSolver.ts'
import { roleLog, runRole } from './runRole.ts'

const SETTINGS = { port: 'SOLVER_PORT', database: 'SOLVER_DATABASE_URL' }

/** A solver with its own HTTP service, configured by the environment. */
export function runSolver(env: NodeJS.ProcessEnv): Promise<void> {
  return runRole(async () => {
    const { privateKey, logLevel: level, ...options } = readSolverConfiguration(env)
    const log = roleLog('solver', level)
    const account = createSolverAccount(privateKey)
    const solver = await startSolver({ ...options, account, log })
    const api = await startSolverApi({
      ...options,
      solver,
      onAnswer: createAccessLog(log),
      onFailure: createFailureLog(log),
    })
    log.info({ url: api.url, solver: account.address }, 'solving')
    return {
      url: api.url,
      log,
      stop: async () => {
        await api.stop()
        await solver.stop()
      },
    }
  }, SETTINGS)
}
