import { isIP } from 'node:net'
import { z } from 'zod'
import { isMainnet } from '../../core/chain/chainNames.ts'
import type { ChainConfig } from './chainConfig.ts'
import { computeDefaultCacheMegabytes } from './computeDefaultCacheMegabytes.ts'
import { ConfigurationError } from './configurationError.ts'
import {
  authMode,
  chainsPath,
  compatProblems,
  digits,
  type Environment,
  flag,
  gwei,
  isSocketPath,
  list,
  logLevel,
  port,
  postgresUrl,
  readChains,
  readVariables,
  SOCKET_PATH_WORDS,
} from './environmentVariableSchemas.ts'
import { DEFAULT_SPONSOR_LIMITS, type SponsorLimits } from './sponsorLimits.ts'

const wholeNumber = (least: number, usual: number | bigint) =>
  digits(/^\d{1,7}$/, 'expected a whole number of at most seven digits', least, Number(usual))

/** Bearer tokens. */
const tokens = list(
  (token) => Buffer.byteLength(token) >= 32 && !/\s/.test(token),
  'expected tokens of at least 32 bytes without spaces, separated by commas',
)

const variables = z.object({
  DATABASE_URL: postgresUrl(
    'is not set: the PostgreSQL to use, postgres://user:password@host:5432/name',
  ),
  CHAINS: chainsPath,
  API_HOST: z.string().default('127.0.0.1'),
  API_PORT: port(8080),
  API_READS_PER_SECOND: wholeNumber(1, 50),
  API_READS_BURST: wholeNumber(1, 100),
  API_WRITES_PER_SECOND: wholeNumber(1, 100),
  API_WRITES_BURST: wholeNumber(1, 200),
  API_CLIENT_WRITES_PER_SECOND: wholeNumber(1, 20),
  API_CLIENT_WRITES_BURST: wholeNumber(1, 50),
  API_DRAIN_SECONDS: wholeNumber(0, 0),
  API_MEMORY_MB: wholeNumber(0, computeDefaultCacheMegabytes()),
  AUTH_MODE: authMode,
  ALLOW_COMPAT_ON_MAINNET: flag,
  ADMIN_TOKENS: tokens,
  SERVICE_TOKENS: tokens,
  SPONSOR_GAS: wholeNumber(100_000, DEFAULT_SPONSOR_LIMITS.gas).refine(
    (gas) => gas <= 2_500_000,
    'expected 2500000 or less: the enclave signs no more',
  ),
  SPONSOR_GAS_PER_MINIMUM: wholeNumber(0, DEFAULT_SPONSOR_LIMITS.gasPerMinimum),
  SPONSOR_GAS_PER_RECIPIENT: wholeNumber(0, DEFAULT_SPONSOR_LIMITS.gasPerRecipient),
  SPONSOR_PER_SAFE: wholeNumber(0, DEFAULT_SPONSOR_LIMITS.perSafe),
  SPONSOR_PER_CLIENT: wholeNumber(0, DEFAULT_SPONSOR_LIMITS.perClient),
  SPONSOR_DAILY_GWEI: gwei(/^\d{1,15}$/)
    .nullable()
    .default(DEFAULT_SPONSOR_LIMITS.weiPerDay),
  SCREEN_RECIPIENTS: z
    .enum(['own', 'always', 'never'], { error: 'expected own, always or never' })
    .default('own'),
  ENCLAVE_SOCKET: z.string().refine(isSocketPath, SOCKET_PATH_WORDS).optional(),
  ENCLAVE_SOCKETS: list(isSocketPath, `${SOCKET_PATH_WORDS}, or several, separated by commas`),
  ENCLAVE_ROOT_FILE: z.string().nullable().default(null),
  ENCLAVE_KEY_FOLDER: z.string().optional(),
  PUSH_KEY_FILE: z.string().nullable().default(null),
  ALLOW_PRIVATE_WEBHOOKS: flag,
  USD_PRICES: z
    .string()
    .refine(
      (text) => !/^[a-z][\w+.-]+:\/\//i.test(text) || isHttpUrl(text),
      'expected the path of a file, or an http(s) URL',
    )
    .optional(),
  USD_PRICES_MAX_AGE: wholeNumber(1, 3_600),
  LOG_LEVEL: logLevel,
  TRUSTED_PROXIES: list(
    isAddressOrRange,
    'expected IP addresses or CIDR ranges, separated by commas',
  ),
})

type Given = z.output<typeof variables>

/** A production role's configuration. */
type Configuration = ReturnType<typeof configurationOf>

/**
 * Reads a production role's configuration.
 *
 * @throws ConfigurationError listing all problems
 */
export function readConfiguration(env: Environment): Configuration {
  const problems: string[] = []
  const configuration = readCommon(env, problems)
  if (configuration === null) throw new ConfigurationError(problems)
  return configuration
}

/** The common part of roles with more variables; null, with its problems added, if it is invalid. */
export function readCommon(env: Environment, problems: string[]): Configuration | null {
  const found: string[] = []
  const given = readVariables(variables, env, found)
  const chains = readChains(env, found)
  if (given) found.push(...compatProblems(given, chains), ...mainnetProblems(given, chains))
  problems.push(...found)
  return given && found.length === 0 ? configurationOf(given, chains) : null
}

function configurationOf(given: Given, chains: ChainConfig[]) {
  const bucket = (perSecond: number, burst: number) => ({ perSecond, burst })
  const { ENCLAVE_SOCKET: socket, ENCLAVE_SOCKETS: sockets, USD_PRICES: from } = given
  return {
    /** `postgres://…`, PostgreSQL 15 or later. */
    databaseUrl: given.DATABASE_URL,
    chains,
    api: {
      host: given.API_HOST,
      /** 0: any free port. */
      port: given.API_PORT,
      /** Addresses (or CIDR ranges) of proxies whose `X-Forwarded-For` is trusted. */
      trustedProxies: given.TRUSTED_PROXIES,
      /** Rate limits: reads per client, writes for all clients together. */
      limits: {
        reads: bucket(given.API_READS_PER_SECOND, given.API_READS_BURST),
        writes: bucket(given.API_WRITES_PER_SECOND, given.API_WRITES_BURST),
        clientWrites: bucket(given.API_CLIENT_WRITES_PER_SECOND, given.API_CLIENT_WRITES_BURST),
      },
      /** How long a stopping server still answers. */
      drainMs: 1_000 * given.API_DRAIN_SECONDS,
      /** Size of the response cache in megabytes; 0 disables it. */
      memoryMegabytes: given.API_MEMORY_MB,
    },
    /** Where the enclaves are; a role that needs one reports that there is none. */
    enclave: {
      /** Unix sockets of enclaves, without duplicates; the first one opens, seals and pays. */
      sockets: [...new Set([...(socket === undefined ? [] : [socket]), ...sockets])],
      /** The root secret's file, for the process that contains the enclave. */
      rootFile: given.ENCLAVE_ROOT_FILE,
      /** Folder of the enclave's own keys; default: the root file's. */
      keyFolder: given.ENCLAVE_KEY_FOLDER,
    },
    /** Who may do what. */
    access: {
      /** `compat` trusts what the specification's callers send; never with a mainnet unless forced. */
      mode: given.AUTH_MODE,
      /** Bearer tokens of operators; without any, the admin routes don't exist. */
      adminTokens: given.ADMIN_TOKENS,
      /** Bearer tokens of services that may request stealth addresses. */
      serviceTokens: given.SERVICE_TOKENS,
      /** Whose nodes may see recipients before the auction ends, to check whether the token refuses them. */
      screening: given.SCREEN_RECIPIENTS,
    },
    /** What the relayer pays for Safe owners. */
    sponsoring: {
      gas: BigInt(given.SPONSOR_GAS),
      gasPerMinimum: BigInt(given.SPONSOR_GAS_PER_MINIMUM),
      gasPerRecipient: BigInt(given.SPONSOR_GAS_PER_RECIPIENT),
      perSafe: given.SPONSOR_PER_SAFE,
      perClient: given.SPONSOR_PER_CLIENT,
      weiPerDay: given.SPONSOR_DAILY_GWEI,
    } satisfies SponsorLimits,
    webhooks: {
      /** File of the key that opens their secrets; null: this process delivers none. */
      keyFile: given.PUSH_KEY_FILE,
      /** Also allows http, and addresses in private networks. */
      allowPrivate: given.ALLOW_PRIVATE_WEBHOOKS,
    },
    /**
     * Source of USD prices, a file's path or an http(s) URL, and the seconds after which a price isn't shown any more;
     * null: no US dollars anywhere.
     */
    prices: from === undefined ? null : { from, maxAgeSeconds: given.USD_PRICES_MAX_AGE },
    logLevel: given.LOG_LEVEL,
  }
}

/** What real money must not depend on. */
function mainnetProblems(given: Given, chains: readonly ChainConfig[]): string[] {
  const mainnets = chains.filter(({ chainId }) => isMainnet(chainId)).map(({ name }) => name)
  if (mainnets.length === 0) return []
  const problems: string[] = []
  // A stranger's webhook could call into the private network.
  if (given.ALLOW_PRIVATE_WEBHOOKS)
    problems.push(`ALLOW_PRIVATE_WEBHOOKS: refused with ${mainnets.join(', ')}`)
  return problems
}

function isHttpUrl(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '')
}

function isAddressOrRange(entry: string): boolean {
  const [address = '', bits, ...more] = entry.split('/')
  const family = isIP(address)
  if (family === 0 || more.length > 0) return false
  if (bits === undefined) return true
  return /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128)
}
