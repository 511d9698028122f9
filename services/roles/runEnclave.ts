import { readEnclaveConfiguration } from '../config/readEnclaveConfiguration.ts'
import { startEnclaveServer } from '../enclave/startEnclave.ts'
import { createLog } from '../log/createLog.ts'
import { notifyParent, runRole } from './runRole.ts'

/** The enclave in its own process, served on a Unix socket, configured by the environment. */
export function runEnclave(env: NodeJS.ProcessEnv): Promise<void> {
  return runRole(async () => {
    const { logLevel: level, ...options } = readEnclaveConfiguration(env)
    const to = (text: string) => notifyParent({ type: 'notice', text: `enclave: ${text}` })
    const log = createLog('enclave', { level, notify: { from: 'warn', to } })
    const { stop } = await startEnclaveServer({ ...options, log })
    return { url: null, log, stop }
  })
}
