import { z } from 'zod'
import { ConfigurationError } from './configurationError.ts'
import { type Configuration, readConfiguration } from './readConfiguration.ts'
import { port, readVariables, relayerUrl } from './readVariables.ts'

/** What the role `orders` is started with. */
type OrdersConfiguration = Pick<
  Configuration,
  'databaseUrl' | 'chains' | 'enclave' | 'access' | 'api' | 'logLevel'
> & {
  host: string
  /** 0: any free port. */
  port: number
  /** Base URL of the relayer, without a slash at the end. */
  relayerUrl: string
  /** Wei of gas that a bridge's least amount of a token is worth. */
  weiPerMinimum: bigint
  /** Limit on a day's gas that no fee covers, over all owners on a chain. */
  unpaidGasOfAll: bigint
  /** Wei for each gas, at most. */
  maxFeePerGas: bigint
  /** Milliseconds between two looks at a chain. */
  lookMs: number
}

const GWEI = 1_000_000_000n

const gwei = (usual: bigint) =>
  z
    .string()
    .regex(/^[1-9]\d{0,14}$/, 'expected gwei, as a whole number')
    .transform((text) => BigInt(text) * GWEI)
    .default(usual * GWEI)

const variables = z.object({
  ORDERS_RELAYER_URL: relayerUrl,
  ORDERS_HOST: z.string().default('127.0.0.1'),
  ORDERS_PORT: port(8095),
  ORDERS_GWEI_PER_MINIMUM: gwei(1_000_000n),
  ORDERS_UNPAID_GAS: z
    .string()
    .regex(/^\d{1,15}$/, 'expected gas, as a whole number')
    .transform(BigInt)
    .default(60_000_000n),
  ORDERS_LOOK_MS: z
    .string()
    .regex(/^[1-9]\d{0,5}$/, 'expected milliseconds, as a whole number')
    .transform(Number)
    .default(500),
  MAX_FEE_GWEI: gwei(500n),
})

/**
 * The configuration of the role `orders`.
 *
 * @throws ConfigurationError listing everything that is wrong at once
 */
export function readOrdersConfiguration(
  env: Record<string, string | undefined>,
): OrdersConfiguration {
  const problems: string[] = []
  const own = readVariables(variables, env, problems)
  const common = commonOf(env, problems)
  if (common && common.enclave.sockets.length === 0) {
    problems.push('ENCLAVE_SOCKET is not set: the Unix socket of the enclave')
  }
  if (common && !common.chains.some(({ vault }) => vault !== undefined)) {
    problems.push('CHAINS: no chain has a vault, so that no order could be funded')
  }
  if (!own || !common || problems.length > 0) throw new ConfigurationError(problems)
  const { databaseUrl, chains, enclave, access, api, logLevel } = common
  return {
    ...{ databaseUrl, chains, enclave, access, api, logLevel },
    ...{ host: own.ORDERS_HOST, port: own.ORDERS_PORT, relayerUrl: own.ORDERS_RELAYER_URL },
    ...{ weiPerMinimum: own.ORDERS_GWEI_PER_MINIMUM, maxFeePerGas: own.MAX_FEE_GWEI },
    ...{ unpaidGasOfAll: own.ORDERS_UNPAID_GAS, lookMs: own.ORDERS_LOOK_MS },
  }
}

/** The part that all roles share, with a database of its own; null, and its problems added, when it is wrong. */
function commonOf(
  env: Record<string, string | undefined>,
  problems: string[],
): Configuration | null {
  try {
    return readConfiguration({ ...env, DATABASE_URL: env.ORDERS_DATABASE_URL })
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    problems.push(
      ...error.problems.map((text) => text.replace('DATABASE_URL', 'ORDERS_DATABASE_URL')),
    )
    return null
  }
}
