import { z } from 'zod'
import { ConfigurationError } from './configurationError.ts'
import {
  digits,
  type Environment,
  GWEI,
  gwei,
  port,
  readVariables,
  relayerUrl,
  unpaidGas,
} from './environmentVariableSchemas.ts'
import { readCommon } from './readConfiguration.ts'

const ABOVE_ZERO = /^[1-9]\d{0,14}$/

const variables = z.object({
  ORDERS_RELAYER_URL: relayerUrl,
  ORDERS_HOST: z.string().default('127.0.0.1'),
  ORDERS_PORT: port(8095),
  ORDERS_GWEI_PER_MINIMUM: gwei(ABOVE_ZERO).default(1_000_000n * GWEI),
  ORDERS_UNPAID_GAS: unpaidGas,
  ORDERS_ROUND_MS: digits(/^[1-9]\d{0,5}$/, 'expected milliseconds, as a whole number', 1, 500),
  MAX_FEE_GWEI: gwei(ABOVE_ZERO).nullable().default(null),
})

/**
 * Reads the configuration of the role `orders`.
 *
 * @throws ConfigurationError listing all problems
 */
export function readOrdersConfiguration(env: Environment) {
  const problems: string[] = []
  const own = readVariables(variables, env, problems)
  // It has a database of its own.
  const found: string[] = []
  const common = readCommon({ ...env, DATABASE_URL: env.ORDERS_DATABASE_URL }, found)
  problems.push(...found.map((text) => text.replace('DATABASE_URL', 'ORDERS_DATABASE_URL')))
  if (common?.enclave.sockets.length === 0) {
    problems.push('ENCLAVE_SOCKET is not set: the Unix socket of the enclave')
  }
  if (common && !common.chains.some(({ vault }) => vault !== undefined)) {
    problems.push('CHAINS: no chain has a vault, so no order could be funded')
  }
  if (!own || !common || problems.length > 0) throw new ConfigurationError(problems)
  return {
    ...common,
    host: own.ORDERS_HOST,
    /** 0: any free port. */
    port: own.ORDERS_PORT,
    /** Base URL of the relayer, without a slash at the end. */
    relayerUrl: own.ORDERS_RELAYER_URL,
    /** Wei of gas that a bridge's minimum amount of a token is worth. */
    weiPerMinimum: own.ORDERS_GWEI_PER_MINIMUM,
    /** Limit on a day's gas that no fee covers, for all owners on a chain together. */
    unpaidGasOfAll: own.ORDERS_UNPAID_GAS,
    /** Maximum gas price in wei on chains that don't set their own; null: by chain. */
    maxFeePerGas: own.MAX_FEE_GWEI,
    /** Milliseconds between rounds. */
    roundMs: own.ORDERS_ROUND_MS,
  }
}
