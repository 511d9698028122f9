import { z } from 'zod'
import { ConfigurationError } from './configurationError.ts'
import { digits, type Environment, gwei, readVariables } from './environmentVariables.ts'
import { readCommon } from './readConfiguration.ts'

const seconds = (least: number, usual: number) =>
  digits(/^\d{1,6}$/, 'expected seconds, as a whole number', least, usual)

const variables = z.object({
  REFUND_AFTER_SECONDS: seconds(0, 60),
  BUMP_AFTER_SECONDS: seconds(1, 30),
  MAX_FEE_GWEI: gwei(/^[1-9]\d{0,6}$/, 'expected gwei for each gas, as a whole number')
    .nullable()
    .default(null),
})

/**
 * What the role `reactions` is started with.
 *
 * @throws ConfigurationError listing everything that is wrong at once
 */
export function readReactionsConfiguration(env: Environment) {
  const problems: string[] = []
  const own = readVariables(variables, env, problems)
  const common = readCommon(env, problems)
  if (common?.enclave.sockets.length === 0 && common.enclave.rootFile === null) {
    problems.push('ENCLAVE_SOCKET is not set: the Unix socket of the enclave')
  }
  if (!own || !common || problems.length > 0) throw new ConfigurationError(problems)
  return {
    ...common,
    /** Seconds for which a refund that is due is left to others. */
    refundAfter: own.REFUND_AFTER_SECONDS,
    /** Milliseconds before a transaction that no block takes is replaced. */
    bumpAfterMs: own.BUMP_AFTER_SECONDS * 1_000,
    /** Wei for each gas, at most, on chains whose entries say nothing of it; null: by chain. */
    maxFeePerGas: own.MAX_FEE_GWEI,
  }
}
