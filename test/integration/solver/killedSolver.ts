/** A solver that dies by kill -9 in a phase of a transaction. Arguments: options, kind, phase. */
import { createLog } from '../../../services/log/createLog.ts'
import { createSolverAccount } from '../../../services/solver/account/solverAccount.ts'
import { startSolver } from '../../../services/solver/startSolver.ts'
import type { SolverOrder } from './solverRig.ts'

const [order = '', kind, phase] = process.argv.slice(2)
const { privateKey, ...options } = JSON.parse(order) as SolverOrder

await startSolver({
  ...options,
  account: createSolverAccount(privateKey),
  log: createLog('solver', { level: 'silent' }),
  onPhase: (reached, transaction) => {
    if (reached === phase && transaction.kind === kind) process.kill(process.pid, 'SIGKILL')
  },
})
