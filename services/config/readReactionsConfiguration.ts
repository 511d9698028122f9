import { z } from 'zod'
import { ConfigurationError } from './configurationError.ts'
import {
  digits,
  type Environment,
  gwei,
  readVariables,
  unpaidGas,
} from './environmentVariableSchemas.ts'
import { readCommon } from './readConfiguration.ts'

const seconds = (least: number, usual: number) =>
  digits(/^\d{1,6}$/, 'expected seconds, as a whole number', least, usual)

const variables = z.object({
  REFUND_AFTER_SECONDS: seconds(0, 60),
  BUMP_AFTER_SECONDS: seconds(1, 30),
  RELAYER_UNPAID_GAS: unpaidGas,
  MAX_FEE_GWEI: gwei(/^[1-9]\d{0,6}$/, 'expected gwei per gas, as a whole number')
    .nullable()
    .default(null),
})

/**
 * Reads the configuration of the role `reactions`.
 *
 * @throws ConfigurationError listing all problems
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
    /** Seconds that a due refund is left to others. */
    refundAfter: own.REFUND_AFTER_SECONDS,
    /** Milliseconds before a transaction that isn't mined is replaced. */
    bumpAfterMs: own.BUMP_AFTER_SECONDS * 1_000,
    /** Gas per day and chain that no fee covers, for all senders. */
    unpaidGas: own.RELAYER_UNPAID_GAS,
    /** Maximum gas price in wei on chains that don't set their own; null: by chain. */
    maxFeePerGas: own.MAX_FEE_GWEI,
  }
}
