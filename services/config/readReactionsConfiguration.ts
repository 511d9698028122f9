import { z } from 'zod'
import { ConfigurationError } from './configurationError.ts'
import { describeZodError } from './describeZodError.ts'
import { type Configuration, readConfiguration } from './readConfiguration.ts'

/** What the role `reactions` is started with. */
type ReactionsConfiguration = Configuration & {
  /** Seconds for which a refund that is due is left to others. */
  refundAfter: number
  /** Wei for each gas, at most, on chains whose entries say nothing of it; null: by chain. */
  maxFeePerGas: bigint | null
  /** Milliseconds before a transaction that no block takes is replaced. */
  bumpAfterMs: number
}

const seconds = (least: number, usual: number) =>
  z
    .string()
    .regex(/^\d{1,6}$/, 'expected seconds, as a whole number')
    .transform(Number)
    .refine((value) => value >= least, `expected ${least} or more`)
    .default(usual)

const variables = z.object({
  REFUND_AFTER_SECONDS: seconds(0, 60),
  BUMP_AFTER_SECONDS: seconds(1, 30),
  MAX_FEE_GWEI: z
    .string()
    .regex(/^[1-9]\d{0,6}$/, 'expected gwei for each gas, as a whole number')
    .transform((text) => BigInt(text) * 1_000_000_000n)
    .optional(),
})

/**
 * The configuration of the role `reactions`.
 *
 * @throws ConfigurationError listing everything that is wrong at once
 */
export function readReactionsConfiguration(
  env: Record<string, string | undefined>,
): ReactionsConfiguration {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ''),
  )
  const parsed = variables.safeParse(given)
  const problems = parsed.success ? [] : describeZodError(parsed.error)
  const common = commonOf(env, problems)
  if (common && common.enclave.sockets.length === 0 && common.enclave.rootFile === null) {
    problems.push('ENCLAVE_SOCKET is not set: the Unix socket of the enclave')
  }
  if (!parsed.success || !common || problems.length > 0) throw new ConfigurationError(problems)
  const { REFUND_AFTER_SECONDS, BUMP_AFTER_SECONDS, MAX_FEE_GWEI } = parsed.data
  return {
    ...common,
    refundAfter: REFUND_AFTER_SECONDS,
    bumpAfterMs: BUMP_AFTER_SECONDS * 1_000,
    maxFeePerGas: MAX_FEE_GWEI ?? null,
  }
}

/** The part that all roles share; null, and its problems added, when that is wrong already. */
function commonOf(
  env: Record<string, string | undefined>,
  problems: string[],
): Configuration | null {
  try {
    return readConfiguration(env)
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    problems.push(...error.problems)
    return null
  }
}
