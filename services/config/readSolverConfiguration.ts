import { z } from 'zod'
import { ConfigurationError } from './configurationError.ts'
import {
  chainsPath,
  digits,
  type Environment,
  list,
  logLevel,
  port,
  postgresUrl,
  readChains,
  readVariables,
  relayerUrl,
} from './environmentVariableSchemas.ts'
import { readKeyFile } from './readKeyFile.ts'

const variables = z.object({
  SOLVER_DATABASE_URL: postgresUrl(
    'is not set: the solver’s own PostgreSQL, postgres://user:password@host/name',
  ),
  CHAINS: chainsPath,
  SOLVER_RELAYER_URL: relayerUrl,
  SOLVER_POLICY: z.string({ error: 'is not set: the path of the policy, a JSON file' }),
  SOLVER_KEY_FILE: z.string({
    error: 'is not set: the path of a file with the private key, 64 hex digits, mode 0600',
  }),
  SOLVER_HOST: z.string().default('127.0.0.1'),
  SOLVER_PORT: port(8090),
  SOLVER_ADMIN_TOKENS: list(
    (token) => Buffer.byteLength(token) >= 32,
    'expected tokens of at least 32 bytes, separated by commas',
  ),
  SOLVER_ROUND_MS: digits(/^\d{1,6}$/, 'expected milliseconds', 50, 1_000),
  LOG_LEVEL: logLevel,
})

/**
 * Reads the configuration of the role `solver`.
 *
 * @throws ConfigurationError listing all problems, without quoting the key
 */
export function readSolverConfiguration(env: Environment) {
  const problems: string[] = []
  const own = readVariables(variables, env, problems)
  const chains = readChains(env, problems)
  const keyFile = env.SOLVER_KEY_FILE?.trim() && env.SOLVER_KEY_FILE
  const key = keyFile && readKeyFile('SOLVER_KEY_FILE', keyFile, problems)
  if (!own || !key || problems.length > 0) throw new ConfigurationError(problems)
  return {
    /** `postgres://…`: the solver's own database. */
    databaseUrl: own.SOLVER_DATABASE_URL,
    chains,
    /** Base URL of the relayer, without a slash at the end. */
    relayerUrl: own.SOLVER_RELAYER_URL,
    policyFile: own.SOLVER_POLICY,
    /** 32 bytes. Pass it to `createSolverAccount` only. */
    privateKey: key,
    host: own.SOLVER_HOST,
    /** 0: any free port. */
    port: own.SOLVER_PORT,
    /** Bearer tokens of `/start` and `/stop`; if empty, these paths don't exist. */
    adminTokens: own.SOLVER_ADMIN_TOKENS,
    /** Milliseconds between rounds. */
    roundMs: own.SOLVER_ROUND_MS,
    logLevel: own.LOG_LEVEL,
  }
}
