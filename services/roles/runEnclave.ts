import { readEnclaveConfiguration } from '../config/readEnclaveConfiguration.ts'
import { startEnclaveServer } from '../enclave/startEnclave.ts'
import { createLog } from '../log/createLog.ts'
import { runRole, tellParent } from './runRole.ts'

/** The enclave in a process of its own, served on a Unix socket, by the environment's configuration. */
export function runEnclave(env: NodeJS.ProcessEnv): Promise<void> {
  return runRole(async () => {
    const { logLevel: level, ...options } = readEnclaveConfiguration(env)
    const to = (text: string) => tellParent({ type: 'notice', text: `enclave: ${text}` })
    const log = createLog('enclave', { level, tell: { from: 'warn', to } })
    const { stop } = await startEnclaveServer({ ...options, log })
    return { url: null, log, stop }
  })
}
