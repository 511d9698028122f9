import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ChainConfig } from '../config/chains.ts'
import { type KeptRole, keepRole } from '../process/keepRole.ts'
import type { DevnetOptions, DevnetRole } from './devnetOptions.ts'
import type { StateDirectory } from './stateDirectory.ts'

/** Starts our programs the way production does: a chains file and the environment. */
export function startRoles(
  options: DevnetOptions,
  state: StateDirectory,
  { databaseUrl, chains }: { databaseUrl: string; chains: ChainConfig[] },
): Partial<Record<DevnetRole, KeptRole>> {
  writeFileSync(state.chainsFile, `${JSON.stringify({ chains }, null, 2)}\n`)
  const env = {
    ...process.env,
    DATABASE_URL: databaseUrl,
    CHAINS: state.chainsFile,
    API_HOST: options.apiHost ?? '127.0.0.1',
    API_PORT: String(options.apiPort ?? 0),
    LOG_LEVEL: options.logLevel ?? 'info',
  }
  const onNotice = (text: string) => options.onEvent?.({ type: 'notice', text })
  const roles = options.roles ?? ['indexer', 'api']
  return Object.fromEntries(
    roles.map((role) => {
      const logFile = join(state.logs, `${role}.log`)
      return [role, keepRole({ role, env, logFile, onNotice }, 'API_PORT')]
    }),
  )
}
