import { z } from 'zod'
import type { ChainConfig } from './chains.ts'
import { ConfigurationError } from './configurationError.ts'
import { problemsOf } from './problemsOf.ts'
import { readChainsFile } from './readChainsFile.ts'
import { LOG_LEVELS, type LogLevel } from './readConfiguration.ts'

/** What the role `enclave` is started with. It has no database. */
export type EnclaveRoleConfiguration = {
  rootFile: string
  socket: string
  chains: ChainConfig[]
  /** `AUTH_MODE` is `strict`, which it is unless it says `compat`. */
  requireChallenge: boolean
  logLevel: LogLevel
}

const variables = z.object({
  ENCLAVE_ROOT_FILE: z.string({ error: 'is not set: the file of the root secret' }),
  ENCLAVE_SOCKET: z.string({ error: 'is not set: the path of the Unix socket to serve on' }),
  CHAINS: z.string({ error: 'is not set: the path of a JSON file, {"chains": [{"name", …}]}' }),
  AUTH_MODE: z.enum(['strict', 'compat'], { error: 'expected strict or compat' }).default('strict'),
  LOG_LEVEL: z
    .enum(LOG_LEVELS, { error: `expected one of ${LOG_LEVELS.join(', ')}` })
    .default('info'),
})

/**
 * The configuration of the role `enclave`.
 *
 * @throws ConfigurationError listing everything that is wrong at once
 */
export function readEnclaveConfiguration(
  env: Record<string, string | undefined>,
): EnclaveRoleConfiguration {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ''),
  )
  const parsed = variables.safeParse(given)
  const problems = parsed.success
    ? []
    : problemsOf(parsed.error).map((text) => text.replace(/^(\w+): is not set/, '$1 is not set'))
  const chains = given.CHAINS === undefined ? [] : readChainsFile(given.CHAINS, problems)
  if (!parsed.success || problems.length > 0) throw new ConfigurationError(problems)
  const { ENCLAVE_ROOT_FILE, ENCLAVE_SOCKET, AUTH_MODE, LOG_LEVEL } = parsed.data
  return {
    rootFile: ENCLAVE_ROOT_FILE,
    socket: ENCLAVE_SOCKET,
    chains,
    requireChallenge: AUTH_MODE === 'strict',
    logLevel: LOG_LEVEL,
  }
}
