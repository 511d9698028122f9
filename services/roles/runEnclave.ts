import { readEnclaveConfiguration } from '../config/readEnclaveConfiguration.ts'
import { startEnclaveServer } from '../enclave/startEnclave.ts'
import { roleLog, runRole } from './runRole.ts'

/** The enclave in its own process, served on a Unix socket, configured by the environment. */
export function runEnclave(env: NodeJS.ProcessEnv): Promise<void> {
  return runRole(async () => {
    const { logLevel: level, ...options } = readEnclaveConfiguration(env)
    const log = roleLog('enclave', level, 'warn')
    const { stop } = await startEnclaveServer({ ...options, log })
    return { url: null, log, stop }
  })
}
