import { z } from 'zod'
import { ConfigurationError } from './configurationError.ts'
import {
  authMode,
  chainsPath,
  compatProblems,
  type Environment,
  flag,
  isSocketPath,
  logLevel,
  readChains,
  readVariables,
  SOCKET_PATH_WORDS,
} from './environmentVariableSchemas.ts'

const variables = z.object({
  ENCLAVE_ROOT_FILE: z.string({ error: 'is not set: the file of the root secret' }),
  ENCLAVE_KEY_FOLDER: z.string().optional(),
  ENCLAVE_SOCKET: z
    .string({ error: 'is not set: the path of the Unix socket to serve on' })
    .refine(isSocketPath, SOCKET_PATH_WORDS),
  CHAINS: chainsPath,
  AUTH_MODE: authMode,
  ALLOW_COMPAT_ON_MAINNET: flag,
  ENCLAVE_QUOTING_KEY: z
    .string()
    .regex(/^0x[0-9a-fA-F]{64}$/, 'expected 0x and 64 hex digits')
    .transform((text) => text as `0x${string}`)
    .optional(),
  ENCLAVE_AWAITS_ROOT: flag,
  LOG_LEVEL: logLevel,
})

/**
 * Reads the configuration of the role `enclave`, which has no database.
 *
 * @throws ConfigurationError listing all problems
 */
export function readEnclaveConfiguration(env: Environment) {
  const problems: string[] = []
  const given = readVariables(variables, env, problems)
  const chains = readChains(env, problems)
  if (given) problems.push(...compatProblems(given, chains))
  if (!given || problems.length > 0) throw new ConfigurationError(problems)
  return {
    rootFile: given.ENCLAVE_ROOT_FILE,
    /** Folder of the enclave's own keys; default: the root file's. */
    keyFolder: given.ENCLAVE_KEY_FOLDER,
    socket: given.ENCLAVE_SOCKET,
    chains,
    /** For chains without one of their own. */
    mode: given.AUTH_MODE,
    /** Signs evidence in development, 32 bytes. */
    ...(given.ENCLAVE_QUOTING_KEY && { quotingKey: given.ENCLAVE_QUOTING_KEY }),
    /** Whether it waits for another enclave's root if it has no file, instead of creating one. */
    awaitsRoot: given.ENCLAVE_AWAITS_ROOT,
    logLevel: given.LOG_LEVEL,
  }
}
