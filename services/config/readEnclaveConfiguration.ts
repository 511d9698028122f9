import { z } from 'zod'
import { LOG_LEVELS, type LogLevel } from '../log/logLevel.ts'
import type { ChainConfig } from './chains.ts'
import { ConfigurationError } from './configurationError.ts'
import { describeZodError } from './describeZodError.ts'
import { readChainsFile } from './readChainsFile.ts'

/** What the role `enclave` is started with. It has no database. */
type EnclaveRoleConfiguration = {
  rootFile: string
  socket: string
  chains: ChainConfig[]
  /** Of chains that name none of their own. */
  mode: 'strict' | 'compat'
  /** Signs evidence in development, 32 bytes. */
  quotingKey?: `0x${string}` | undefined
  /** Whether it waits for another enclave's root where it has no file, instead of making one. */
  awaitsRoot: boolean
  logLevel: LogLevel
}

const variables = z.object({
  ENCLAVE_ROOT_FILE: z.string({ error: 'is not set: the file of the root secret' }),
  ENCLAVE_SOCKET: z.string({ error: 'is not set: the path of the Unix socket to serve on' }),
  CHAINS: z.string({ error: 'is not set: the path of a JSON file, {"chains": [{"name", …}]}' }),
  AUTH_MODE: z.enum(['strict', 'compat'], { error: 'expected strict or compat' }).default('strict'),
  ENCLAVE_QUOTING_KEY: z
    .string()
    .regex(/^0x[0-9a-fA-F]{64}$/, 'expected 0x and 64 hex digits')
    .transform((text) => text as `0x${string}`)
    .optional(),
  ENCLAVE_AWAITS_ROOT: z.enum(['0', '1'], { error: 'expected 0 or 1' }).default('0'),
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
    : describeZodError(parsed.error).map((text) =>
        text.replace(/^(\w+): is not set/, '$1 is not set'),
      )
  const chains = given.CHAINS === undefined ? [] : readChainsFile(given.CHAINS, problems)
  if (!parsed.success || problems.length > 0) throw new ConfigurationError(problems)
  const { ENCLAVE_ROOT_FILE, ENCLAVE_SOCKET, AUTH_MODE, LOG_LEVEL } = parsed.data
  const { ENCLAVE_QUOTING_KEY, ENCLAVE_AWAITS_ROOT } = parsed.data
  return {
    rootFile: ENCLAVE_ROOT_FILE,
    socket: ENCLAVE_SOCKET,
    chains,
    mode: AUTH_MODE,
    awaitsRoot: ENCLAVE_AWAITS_ROOT === '1',
    ...(ENCLAVE_QUOTING_KEY && { quotingKey: ENCLAVE_QUOTING_KEY }),
    logLevel: LOG_LEVEL,
  }
}
