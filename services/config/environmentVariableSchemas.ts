import { z } from 'zod'
import { isMainnet } from '../../core/chain/chainNames.ts'
import { LOG_LEVELS } from '../log/logLevel.ts'
import type { ChainConfig } from './chainConfig.ts'
import { describeZodError } from './describeZodError.ts'
import { readChainsFile } from './readChainsFile.ts'

/** A role's environment, such as `process.env`; an empty value counts as not set. */
export type Environment = Readonly<Record<string, string | undefined>>

export const port = (usual: number) =>
  z
    .string()
    .regex(/^\d{1,5}$/, 'expected a port, 0 to 65535 (0: any free one)')
    .transform(Number)
    .refine((number) => number <= 65_535, 'expected a port, 0 to 65535 (0: any free one)')
    .default(usual)

/** Digits, parsed to a number. */
export const digits = (pattern: RegExp, words: string, least: number, usual: number) =>
  z
    .string()
    .regex(pattern, words)
    .transform(Number)
    .refine((number) => number >= least, `expected ${least} or more`)
    .default(usual)

export const GWEI = 1_000_000_000n

/** Gwei, parsed to wei. */
export const gwei = (pattern: RegExp, words = 'expected gwei, as a whole number') =>
  z
    .string()
    .regex(pattern, words)
    .transform((text) => BigInt(text) * GWEI)

/** 0 or 1, parsed to a boolean. */
export const flag = z
  .enum(['0', '1'], { error: 'expected 0 or 1' })
  .default('0')
  .transform((text) => text === '1')

/** A PostgreSQL URL. One with an unencoded password could name another host, and put parts of it into messages. */
export const postgresUrl = (missing: string) =>
  z
    .string({ error: missing })
    .refine(
      isPostgresUrl,
      'expected postgres://user:password@host:5432/name with one host; write characters of the password other than letters and digits as %XX',
    )

function isPostgresUrl(text: string): boolean {
  // Before a socket's directory, in `?host=`, a user may be named without a host.
  const url = URL.parse(text) ?? URL.parse(text.replace('@/', '@localhost/'))
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol)) return false
  const { username, password, pathname, search, hash } = url
  try {
    for (const part of [username, password, pathname]) decodeURIComponent(part)
  } catch {
    return false
  }
  // A password with #, / or ? ends the host early.
  return hash === '' && (username !== '' || !`${pathname}${search}`.includes('@'))
}

/** A comma-separated list. */
export const list = (isValid: (word: string) => boolean, words: string) =>
  z
    .string()
    .transform((text) => text.split(',').map((word) => word.trim()))
    .refine((all) => all.every(isValid), words)
    .default([])

/** Longest path of a Unix socket in bytes. At a longer one, a role would wait for an enclave that can't be there. */
const LONGEST_SOCKET_PATH = process.platform === 'linux' ? 107 : 103

export const SOCKET_PATH_WORDS = `expected a path of at most ${LONGEST_SOCKET_PATH} bytes`

export function isSocketPath(path: string): boolean {
  return path !== '' && Buffer.byteLength(path) <= LONGEST_SOCKET_PATH
}

/** The relayer's base URL, without a slash at the end. */
export const relayerUrl = z
  .url({ error: 'is not set: the relayer’s base URL, https://…', protocol: /^https?$/ })
  .transform((text) => text.replace(/\/+$/, ''))

export const authMode = z
  .enum(['strict', 'compat'], { error: 'expected strict or compat' })
  .default('strict')

/**
 * Refuses compat mode on mainnets, whichever file or variable sets it, unless the operator insists: with unsigned
 * calls, a stranger who stores recipients first would receive the money.
 */
export function compatProblems(
  variables: { AUTH_MODE: 'strict' | 'compat'; ALLOW_COMPAT_ON_MAINNET: boolean },
  chains: readonly ChainConfig[],
): string[] {
  const mainnets = chains.filter(({ chainId }) => isMainnet(chainId))
  if (mainnets.length === 0 || variables.ALLOW_COMPAT_ON_MAINNET) return []
  const own = mainnets.filter(({ mode }) => mode === 'compat')
  return [
    ...(variables.AUTH_MODE === 'compat' ? [refused('AUTH_MODE', mainnets)] : []),
    ...(own.length > 0 ? [refused('CHAINS', own)] : []),
  ]
}

function refused(variable: string, chains: readonly ChainConfig[]): string {
  const names = chains.map(({ name }) => name).join(', ')
  return `${variable}: compat is refused with ${names}: see ALLOW_COMPAT_ON_MAINNET`
}

/** A day's gas that no fee covers. */
export const unpaidGas = z
  .string()
  .regex(/^\d{1,15}$/, 'expected gas, as a whole number')
  .transform(BigInt)
  .default(60_000_000n)

export const logLevel = z
  .enum(LOG_LEVELS, { error: `expected one of ${LOG_LEVELS.join(', ')}` })
  .default('info')

export const chainsPath = z.string({
  error: 'is not set: the path of a JSON file, {"chains": [{"name", …}]}',
})

/**
 * Reads a role's own variables.
 *
 * @param problems receives all problems
 * @returns null when there is a problem
 */
export function readVariables<Schema extends z.ZodType>(
  schema: Schema,
  env: Environment,
  problems: string[],
): z.output<Schema> | null {
  const parsed = schema.safeParse(variablesSet(env))
  if (parsed.success) return parsed.data
  // `DATABASE_URL: is not set` reads better without the colon.
  const withoutColon = (text: string) => text.replace(/^(\w+): is not set/, '$1 is not set')
  problems.push(...describeZodError(parsed.error).map(withoutColon))
  return null
}

/** Reads the chains in the file that `CHAINS` names; adds its problems to `problems`. */
export function readChains(env: Environment, problems: string[]): ChainConfig[] {
  const { CHAINS: path } = variablesSet(env)
  return path === undefined ? [] : readChainsFile(path, problems)
}

/** The environment's variables, without empty ones, which count as not set. */
function variablesSet(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value?.trim()))
}
