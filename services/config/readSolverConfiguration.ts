import { z } from 'zod'
import { LOG_LEVELS, type LogLevel } from '../log/logLevel.ts'
import type { ChainConfig } from './chains.ts'
import { ConfigurationError } from './configurationError.ts'
import { readChainsFile } from './readChainsFile.ts'
import { readKeyFile } from './readKeyFile.ts'
import { port, readVariables, relayerUrl, variablesSet } from './readVariables.ts'

/** What the role `solver` is started with. */
type SolverConfiguration = {
  /** `postgres://…`: the solver's own database. */
  databaseUrl: string
  chains: ChainConfig[]
  /** Base URL of the relayer, without a slash at the end. */
  relayerUrl: string
  policyFile: string
  /** 32 bytes. To be handed to `solverAccount` and nobody else. */
  privateKey: `0x${string}`
  host: string
  /** 0: any free port. */
  port: number
  /** Bearer tokens of `/start` and `/stop`; none: these paths don't exist. */
  adminTokens: string[]
  /** Milliseconds between rounds. */
  roundMs: number
  logLevel: LogLevel
}

const ADMIN_TOKEN_BYTES = 32

const variables = z.object({
  SOLVER_DATABASE_URL: z
    .string({
      error: 'is not set: the solver’s own PostgreSQL, postgres://user:password@host/name',
    })
    .regex(/^postgres(ql)?:\/\//, 'expected postgres://user:password@host:5432/name'),
  CHAINS: z.string({ error: 'is not set: the path of a JSON file, {"chains": [{"name", …}]}' }),
  SOLVER_RELAYER_URL: relayerUrl,
  SOLVER_POLICY: z.string({ error: 'is not set: the path of the policy, a JSON file' }),
  SOLVER_KEY_FILE: z.string({
    error: 'is not set: the path of a file with the private key, 64 hex digits, mode 0600',
  }),
  SOLVER_HOST: z.string().default('127.0.0.1'),
  SOLVER_PORT: port(8090),
  SOLVER_ADMIN_TOKENS: z
    .string()
    .transform((text) => text.split(',').map((token) => token.trim()))
    .refine(
      (tokens) => tokens.every((token) => Buffer.byteLength(token) >= ADMIN_TOKEN_BYTES),
      'expected tokens of at least 32 bytes, separated by commas',
    )
    .default([]),
  SOLVER_ROUND_MS: z
    .string()
    .regex(/^\d{1,6}$/, 'expected milliseconds')
    .transform(Number)
    .refine((ms) => ms >= 50, 'expected 50 or more')
    .default(1_000),
  LOG_LEVEL: z
    .enum(LOG_LEVELS, { error: `expected one of ${LOG_LEVELS.join(', ')}` })
    .default('info'),
})

/**
 * The configuration of the role `solver`.
 *
 * @throws ConfigurationError listing everything that is wrong at once, without quoting the key
 */
export function readSolverConfiguration(
  env: Record<string, string | undefined>,
): SolverConfiguration {
  const problems: string[] = []
  const own = readVariables(variables, env, problems)
  const given = variablesSet(env)
  const chains = given.CHAINS === undefined ? [] : readChainsFile(given.CHAINS, problems)
  const key =
    given.SOLVER_KEY_FILE && readKeyFile('SOLVER_KEY_FILE', given.SOLVER_KEY_FILE, problems)
  if (!own || !key || problems.length > 0) throw new ConfigurationError(problems)
  return {
    databaseUrl: own.SOLVER_DATABASE_URL,
    chains,
    relayerUrl: own.SOLVER_RELAYER_URL,
    policyFile: own.SOLVER_POLICY,
    privateKey: key,
    host: own.SOLVER_HOST,
    port: own.SOLVER_PORT,
    adminTokens: own.SOLVER_ADMIN_TOKENS,
    roundMs: own.SOLVER_ROUND_MS,
    logLevel: own.LOG_LEVEL,
  }
}
