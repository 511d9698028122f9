import { isIP } from 'node:net'
import { z } from 'zod'
import { isMainnet } from '../../core/chain/names.ts'
import { LOG_LEVELS, type LogLevel } from '../log/logLevel.ts'
import type { ChainConfig } from './chains.ts'
import { ConfigurationError } from './configurationError.ts'
import { defaultCacheMegabytes } from './defaultCacheMegabytes.ts'
import { describeZodError } from './describeZodError.ts'
import { readChainsFile } from './readChainsFile.ts'
import type { SponsorLimits } from './sponsorLimits.ts'

/** What a production role is started with. */
export type Configuration = {
  /** `postgres://…`, PostgreSQL 15 or later. */
  databaseUrl: string
  chains: ChainConfig[]
  api: ApiConfiguration
  enclave: EnclaveConfiguration
  access: AccessConfiguration
  /** What the relayer pays for the owners of Safes. */
  sponsoring: SponsorLimits
  webhooks: WebhookConfiguration
  /** Where USD prices come from; null: no US dollar appears anywhere. */
  prices: PricesConfiguration | null
  logLevel: LogLevel
}

/** Where the enclaves are; a role that needs one says so when there is none. */
type EnclaveConfiguration = {
  /** Unix sockets on which enclaves serve, the one first that opens, seals and pays. */
  sockets: string[]
  /** The root secret's file, for the process that holds the enclave. */
  rootFile: string | null
}

/** Where USD prices come from. */
type PricesConfiguration = {
  /** The path of a file, or an http(s) URL. */
  from: string
  /** Seconds after which a price isn't shown any more. */
  maxAgeSeconds: number
}

/** How webhooks are delivered. */
type WebhookConfiguration = {
  /** File of the key that opens their secrets; null: this process delivers none. */
  keyFile: string | null
  /** Also http, and addresses of private networks. */
  allowPrivate: boolean
}

/** Who may do what. */
type AccessConfiguration = {
  /** `compat` believes what the specification's callers send; never with a mainnet unless it is forced. */
  mode: 'strict' | 'compat'
  /** Bearer tokens of operators; without any the admin routes don't exist. */
  adminTokens: string[]
  /** Bearer tokens of services that may request stealth addresses. */
  serviceTokens: string[]
  /**
   * Whose nodes may see recipients, to check before the auction ends whether the token refuses them.
   */
  screening: 'own' | 'always' | 'never'
}

type ApiConfiguration = {
  host: string
  /** 0: any free port. */
  port: number
  /** Addresses (or CIDR ranges) of proxies whose `X-Forwarded-For` is believed. */
  trustedProxies: string[]
  /** Requests that are let through: reads for each client, writes for all together. */
  limits: {
    reads: { perSecond: number; burst: number }
    writes: { perSecond: number; burst: number }
    clientWrites: { perSecond: number; burst: number }
  }
  /** Megabytes of cached answers, at most; 0 caches none. */
  memoryMegabytes: number
}

function wholeNumber(least: number, usual: number) {
  return z
    .string()
    .regex(/^\d{1,7}$/, 'expected a whole number of at most seven digits')
    .transform(Number)
    .refine((number) => number >= least, `expected ${least} or more`)
    .default(usual)
}

/** Bearer tokens. */
const tokens = z
  .string()
  .transform((text) => text.split(',').map((token) => token.trim()))
  .refine(
    (all) => all.every((token) => Buffer.byteLength(token) >= 32 && !/\s/.test(token)),
    'expected tokens of at least 32 bytes without spaces, separated by commas',
  )
  .default([])

const variables = z.object({
  DATABASE_URL: z
    .string({ error: 'is not set: the PostgreSQL to use, postgres://user:password@host:5432/name' })
    .refine(isPostgresUrl, 'expected postgres://user:password@host:5432/name'),
  CHAINS: z.string({ error: 'is not set: the path of a JSON file, {"chains": [{"name", …}]}' }),
  API_HOST: z.string().default('127.0.0.1'),
  API_PORT: z
    .string()
    .regex(/^\d{1,5}$/, 'expected a port, 0 to 65535 (0: any free one)')
    .transform(Number)
    .refine((port) => port <= 65_535, 'expected a port, 0 to 65535 (0: any free one)')
    .default(8080),
  API_READS_PER_SECOND: wholeNumber(1, 50),
  API_READS_BURST: wholeNumber(1, 100),
  API_WRITES_PER_SECOND: wholeNumber(1, 100),
  API_WRITES_BURST: wholeNumber(1, 200),
  API_CLIENT_WRITES_PER_SECOND: wholeNumber(1, 20),
  API_CLIENT_WRITES_BURST: wholeNumber(1, 50),
  API_MEMORY_MB: wholeNumber(0, defaultCacheMegabytes()),
  AUTH_MODE: z.enum(['strict', 'compat'], { error: 'expected strict or compat' }).default('strict'),
  ALLOW_COMPAT_ON_MAINNET: z.enum(['0', '1'], { error: 'expected 0 or 1' }).default('0'),
  ADMIN_TOKENS: tokens,
  SERVICE_TOKENS: tokens,
  SPONSOR_GAS: wholeNumber(100_000, 1_500_000).refine(
    (gas) => gas <= 2_500_000,
    'expected 2500000 or less: the enclave signs no more',
  ),
  SPONSOR_GAS_PER_MINIMUM: wholeNumber(0, 1_500_000),
  SPONSOR_GAS_PER_RECIPIENT: wholeNumber(0, 500_000),
  SPONSOR_PER_SAFE: wholeNumber(0, 20),
  SPONSOR_PER_CLIENT: wholeNumber(0, 5_000),
  SPONSOR_DAILY_GWEI: z
    .string()
    .regex(/^\d{1,15}$/, 'expected gwei, as a whole number')
    .transform(BigInt)
    .default(100_000_000n),
  SCREEN_RECIPIENTS: z
    .enum(['own', 'always', 'never'], { error: 'expected own, always or never' })
    .default('own'),
  ENCLAVE_SOCKET: z.string().nullable().default(null),
  ENCLAVE_SOCKETS: z
    .string()
    .transform((text) => text.split(',').map((path) => path.trim()))
    .refine((paths) => paths.every((path) => path !== ''), 'expected paths, separated by commas')
    .default([]),
  ENCLAVE_ROOT_FILE: z.string().nullable().default(null),
  PUSH_KEY_FILE: z.string().nullable().default(null),
  ALLOW_PRIVATE_WEBHOOKS: z.enum(['0', '1'], { error: 'expected 0 or 1' }).default('0'),
  USD_PRICES: z
    .string()
    .refine(
      (text) => !/^[a-z][\w+.-]+:\/\//i.test(text) || isHttpUrl(text),
      'expected the path of a file, or an http(s) URL',
    )
    .nullable()
    .default(null),
  USD_PRICES_MAX_AGE: wholeNumber(1, 3_600),
  LOG_LEVEL: z
    .enum(LOG_LEVELS, { error: `expected one of ${LOG_LEVELS.join(', ')}` })
    .default('info'),
  TRUSTED_PROXIES: z
    .string()
    .transform((text) => text.split(',').map((entry) => entry.trim()))
    .refine(
      (entries) => entries.every(isAddressOrRange),
      'expected IP addresses or CIDR ranges, separated by commas',
    )
    .default([]),
})

/**
 * The configuration of a production role.
 *
 * @param env the environment, such as `process.env`; an empty value counts as not set
 * @throws ConfigurationError listing everything that is wrong at once
 */
export function readConfiguration(env: Record<string, string | undefined>): Configuration {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ''),
  )
  const parsed = variables.safeParse(given)
  const problems = parsed.success ? [] : describeZodError(parsed.error).map(withoutFirstColon)
  const chains = given.CHAINS === undefined ? [] : readChainsFile(given.CHAINS, problems)
  if (parsed.success) {
    problems.push(...compatProblems(parsed.data, chains), ...privateProblems(parsed.data, chains))
  }
  if (!parsed.success || problems.length > 0) throw new ConfigurationError(problems)
  const { DATABASE_URL, LOG_LEVEL } = parsed.data
  return {
    databaseUrl: DATABASE_URL,
    chains,
    api: apiOf(parsed.data),
    enclave: enclaveOf(parsed.data),
    access: accessOf(parsed.data),
    sponsoring: sponsoringOf(parsed.data),
    webhooks: {
      keyFile: parsed.data.PUSH_KEY_FILE,
      allowPrivate: parsed.data.ALLOW_PRIVATE_WEBHOOKS === '1',
    },
    prices: pricesOf(parsed.data),
    logLevel: LOG_LEVEL,
  }
}

function pricesOf(given: z.output<typeof variables>): PricesConfiguration | null {
  const { USD_PRICES, USD_PRICES_MAX_AGE } = given
  return USD_PRICES === null ? null : { from: USD_PRICES, maxAgeSeconds: USD_PRICES_MAX_AGE }
}

/** With real money at stake, an unsigned header is not enough. */
function compatProblems(
  { AUTH_MODE, ALLOW_COMPAT_ON_MAINNET }: z.output<typeof variables>,
  chains: readonly ChainConfig[],
): string[] {
  if (AUTH_MODE !== 'compat' || ALLOW_COMPAT_ON_MAINNET === '1') return []
  const mainnets = chains.filter(({ chainId }) => isMainnet(chainId)).map(({ name }) => name)
  if (mainnets.length === 0) return []
  return [`AUTH_MODE: compat is refused with ${mainnets.join(', ')}: see ALLOW_COMPAT_ON_MAINNET`]
}

/** Otherwise a stranger's webhook could call into the network that real money depends on. */
function privateProblems(
  { ALLOW_PRIVATE_WEBHOOKS }: z.output<typeof variables>,
  chains: readonly ChainConfig[],
): string[] {
  if (ALLOW_PRIVATE_WEBHOOKS !== '1') return []
  const mainnets = chains.filter(({ chainId }) => isMainnet(chainId)).map(({ name }) => name)
  return mainnets.length === 0
    ? []
    : [`ALLOW_PRIVATE_WEBHOOKS: refused with ${mainnets.join(', ')}`]
}

/** The first opens, seals and pays; a list that repeats it counts it once. */
function enclaveOf(given: z.output<typeof variables>): EnclaveConfiguration {
  const { ENCLAVE_SOCKET, ENCLAVE_SOCKETS, ENCLAVE_ROOT_FILE } = given
  const sockets = new Set([
    ...(ENCLAVE_SOCKET === null ? [] : [ENCLAVE_SOCKET]),
    ...ENCLAVE_SOCKETS,
  ])
  return { sockets: [...sockets], rootFile: ENCLAVE_ROOT_FILE }
}

function accessOf(given: z.output<typeof variables>): AccessConfiguration {
  const { AUTH_MODE, ADMIN_TOKENS, SERVICE_TOKENS, SCREEN_RECIPIENTS } = given
  return {
    ...{ mode: AUTH_MODE, adminTokens: ADMIN_TOKENS, serviceTokens: SERVICE_TOKENS },
    screening: SCREEN_RECIPIENTS,
  }
}

function sponsoringOf(given: z.output<typeof variables>): SponsorLimits {
  return {
    gas: BigInt(given.SPONSOR_GAS),
    gasPerMinimum: BigInt(given.SPONSOR_GAS_PER_MINIMUM),
    gasPerRecipient: BigInt(given.SPONSOR_GAS_PER_RECIPIENT),
    perSafe: given.SPONSOR_PER_SAFE,
    perClient: given.SPONSOR_PER_CLIENT,
    weiPerDay: given.SPONSOR_DAILY_GWEI * 1_000_000_000n,
  }
}

function apiOf(given: z.output<typeof variables>): ApiConfiguration {
  const bucket = (perSecond: number, burst: number) => ({ perSecond, burst })
  return {
    host: given.API_HOST,
    port: given.API_PORT,
    trustedProxies: given.TRUSTED_PROXIES,
    limits: {
      reads: bucket(given.API_READS_PER_SECOND, given.API_READS_BURST),
      writes: bucket(given.API_WRITES_PER_SECOND, given.API_WRITES_BURST),
      clientWrites: bucket(given.API_CLIENT_WRITES_PER_SECOND, given.API_CLIENT_WRITES_BURST),
    },
    memoryMegabytes: given.API_MEMORY_MB,
  }
}

/** `DATABASE_URL: is not set` reads better without the colon. */
function withoutFirstColon(problem: string): string {
  return problem.replace(/^(\w+): is not set/, '$1 is not set')
}

function isHttpUrl(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '')
}

function isPostgresUrl(text: string): boolean {
  return /^postgres(ql)?:$/.test(URL.parse(text)?.protocol ?? '')
}

function isAddressOrRange(entry: string): boolean {
  const [address = '', bits, ...more] = entry.split('/')
  const family = isIP(address)
  if (family === 0 || more.length > 0) return false
  if (bits === undefined) return true
  return /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128)
}
