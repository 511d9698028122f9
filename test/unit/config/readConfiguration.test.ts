import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { computeDefaultCacheMegabytes } from '../../../services/config/computeDefaultCacheMegabytes.ts'
import { ConfigurationError } from '../../../services/config/configurationError.ts'
import { readConfiguration } from '../../../services/config/readConfiguration.ts'
import { readEnclaveConfiguration } from '../../../services/config/readEnclaveConfiguration.ts'

const directory = mkdtempSync(join(tmpdir(), 'cairn-config-'))
afterAll(() => rmSync(directory, { recursive: true }))

const base = {
  name: 'base_sepolia',
  chainId: 84532,
  rpcUrls: ['https://sepolia.base.example/key', 'http://127.0.0.1:8545'],
  wsUrl: 'wss://sepolia.base.example',
  bridge: '0x1111111111111111111111111111111111111111',
  registry: '0x2222222222222222222222222222222222222222',
  startBlock: 17,
  confirmations: 3,
  tokens: { USDC: { address: '0x3333333333333333333333333333333333333333', decimals: 6 } },
}
const horizen = {
  name: 'horizen_testnet',
  chainId: 2651420,
  rpcUrls: ['http://127.0.0.1:8546'],
  bridge: base.bridge,
  startBlock: 0,
  confirmations: 0,
}

function chainsFile(content: unknown): string {
  const path = join(directory, 'chains.json')
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

function environment(chains: unknown, more: Record<string, string> = {}) {
  return { DATABASE_URL: 'postgres://u:p@db:5432/cairn', CHAINS: chainsFile(chains), ...more }
}

function problemsOf(env: Record<string, string | undefined>): readonly string[] {
  try {
    readConfiguration(env)
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems
    throw error
  }
  return []
}

describe('a configuration that is right', () => {
  it('is read whole, with defaults where nothing is said', () => {
    expect(readConfiguration(environment({ chains: [base, horizen] }))).toEqual({
      databaseUrl: 'postgres://u:p@db:5432/cairn',
      chains: [base, horizen],
      api: {
        host: '127.0.0.1',
        port: 8080,
        trustedProxies: [],
        drainMs: 0,
        memoryMegabytes: computeDefaultCacheMegabytes(),
        limits: {
          reads: { perSecond: 50, burst: 100 },
          writes: { perSecond: 100, burst: 200 },
          clientWrites: { perSecond: 20, burst: 50 },
        },
      },
      enclave: { sockets: [], rootFile: null },
      access: { mode: 'strict', adminTokens: [], serviceTokens: [], screening: 'own' },
      sponsoring: {
        gas: 1_500_000n,
        gasPerMinimum: 1_500_000n,
        gasPerRecipient: 500_000n,
        perSafe: 20,
        perClient: 5_000,
        weiPerDay: null,
      },
      webhooks: { keyFile: null, allowPrivate: false },
      prices: null,
      logLevel: 'info',
    })
  })

  it('takes every variable', () => {
    const more = {
      API_HOST: '0.0.0.0',
      API_PORT: '0',
      API_READS_PER_SECOND: '500',
      API_READS_BURST: '1000',
      API_WRITES_PER_SECOND: '7',
      API_WRITES_BURST: '9',
      API_CLIENT_WRITES_PER_SECOND: '3',
      API_CLIENT_WRITES_BURST: '4',
      API_DRAIN_SECONDS: '15',
      API_MEMORY_MB: '0',
      USD_PRICES: 'https://prices.example/usd?key=1',
      USD_PRICES_MAX_AGE: '60',
      AUTH_MODE: 'compat',
      SCREEN_RECIPIENTS: 'never',
      ADMIN_TOKENS: `${'a'.repeat(32)}, ${'b'.repeat(40)}`,
      SERVICE_TOKENS: 'c'.repeat(32),
      SPONSOR_GAS: '900000',
      SPONSOR_GAS_PER_MINIMUM: '70',
      SPONSOR_GAS_PER_RECIPIENT: '30',
      SPONSOR_PER_SAFE: '3',
      SPONSOR_PER_CLIENT: '0',
      SPONSOR_DAILY_GWEI: '1',
      LOG_LEVEL: 'debug',
      TRUSTED_PROXIES: '10.0.0.0/8, ::1',
    }
    expect(readConfiguration(environment({ chains: [base] }, more))).toMatchObject({
      prices: { from: 'https://prices.example/usd?key=1', maxAgeSeconds: 60 },
      api: {
        host: '0.0.0.0',
        port: 0,
        trustedProxies: ['10.0.0.0/8', '::1'],
        drainMs: 15_000,
        memoryMegabytes: 0,
        limits: {
          reads: { perSecond: 500, burst: 1000 },
          writes: { perSecond: 7, burst: 9 },
          clientWrites: { perSecond: 3, burst: 4 },
        },
      },
      access: {
        mode: 'compat',
        screening: 'never',
        adminTokens: ['a'.repeat(32), 'b'.repeat(40)],
        serviceTokens: ['c'.repeat(32)],
      },
      sponsoring: {
        gas: 900_000n,
        gasPerMinimum: 70n,
        gasPerRecipient: 30n,
        perSafe: 3,
        perClient: 0,
        weiPerDay: 10n ** 9n,
      },
      logLevel: 'debug',
    })
  })

  it('takes a chain that the protocol has no name for, and an alias for one that it has', () => {
    const own = { ...horizen, name: 'my_chain', chainId: 31337 }
    const alias = { ...base, name: 'base_testnet' }
    const { chains } = readConfiguration(environment({ chains: [own, alias] }))
    expect(chains.map((chain) => chain.name)).toEqual(['my_chain', 'base_sepolia'])
  })

  it('takes an empty variable for one that is not set', () => {
    expect(readConfiguration(environment({ chains: [base] }, { API_PORT: ' ' })).api.port).toBe(
      8080,
    )
  })
})

describe('a configuration that is wrong', () => {
  it('believes headers on a mainnet only when forced to', () => {
    const mainnet = { ...base, name: 'base_mainnet', chainId: 8453 }
    const compat = { AUTH_MODE: 'compat' }
    expect(problemsOf(environment({ chains: [mainnet] }, compat))).toEqual([
      'AUTH_MODE: compat is refused with base_mainnet: see ALLOW_COMPAT_ON_MAINNET',
    ])
    const forced = { ...compat, ALLOW_COMPAT_ON_MAINNET: '1' }
    expect(problemsOf(environment({ chains: [mainnet] }, forced))).toEqual([])
  })

  it('believes headers on a mainnet by the chain’s own mode only when forced to, in the enclave too', () => {
    const chains = [{ ...base, name: 'base_mainnet', chainId: 8453, mode: 'compat' }, horizen]
    const problem = 'CHAINS: compat is refused with base_mainnet: see ALLOW_COMPAT_ON_MAINNET'
    const env = environment({ chains })
    expect(problemsOf(env)).toEqual([problem])
    const enclave = { ...env, ENCLAVE_ROOT_FILE: '/run/root', ENCLAVE_SOCKET: '/run/enclave.sock' }
    expect(() => readEnclaveConfiguration(enclave)).toThrow(problem)
    const forced = { ALLOW_COMPAT_ON_MAINNET: '1' }
    expect(problemsOf({ ...env, ...forced })).toEqual([])
    expect(readEnclaveConfiguration({ ...enclave, ...forced }).mode).toBe('strict')
  })

  it('never lets webhooks into the network beside a mainnet', () => {
    const mainnet = { ...base, name: 'base_mainnet', chainId: 8453 }
    const lax = { ALLOW_PRIVATE_WEBHOOKS: '1', PUSH_KEY_FILE: '/run/push.key' }
    expect(problemsOf(environment({ chains: [mainnet] }, lax))).toEqual([
      'ALLOW_PRIVATE_WEBHOOKS: refused with base_mainnet',
    ])
    expect(readConfiguration(environment({ chains: [base] }, lax)).webhooks).toEqual({
      keyFile: '/run/push.key',
      allowPrivate: true,
    })
  })

  it('never quotes an admin token that is too short', () => {
    const [problem] = problemsOf(environment({ chains: [base] }, { ADMIN_TOKENS: 'hunter2' }))
    expect(problem).toMatch(/^ADMIN_TOKENS: expected tokens of at least 32 bytes/)
    expect(problem).not.toContain('hunter2')
  })

  it('names no socket whose path is too long for one, in the enclave too', () => {
    const path = `/run/${'s'.repeat(110)}`
    const env = environment({ chains: [base] }, { ENCLAVE_SOCKET: path })
    expect(problemsOf(env)).toEqual([
      expect.stringMatching(/^ENCLAVE_SOCKET: expected a path of at most 10\d bytes$/),
    ])
    const several = { ENCLAVE_SOCKETS: `/run/enclave.sock,${path}` }
    expect(problemsOf(environment({ chains: [base] }, several))).toHaveLength(1)
    const enclave = { ...env, ENCLAVE_ROOT_FILE: '/run/root' }
    expect(() => readEnclaveConfiguration(enclave)).toThrow('ENCLAVE_SOCKET: expected a path')
  })

  it('says everything that is wrong at once', () => {
    const wrong = {
      chains: [
        { ...base, chainId: 8453, bridge: '0x123', startblock: 5 },
        { ...horizen, rpcUrls: ['ftp://node'], confirmations: -1 },
      ],
    }
    const problems = problemsOf({
      CHAINS: chainsFile(wrong),
      API_PORT: '99999',
      LOG_LEVEL: 'loud',
      TRUSTED_PROXIES: '10.0.0.0/99',
    }).join('\n')
    for (const expected of [
      /DATABASE_URL is not set/,
      /API_PORT.*0 to 65535/,
      /LOG_LEVEL.*fatal, error/,
      /TRUSTED_PROXIES.*CIDR/,
      /chains\[0\]\.bridge: expected an address/,
      /chains\[0\].*startblock/,
      /chains\[1\]\.rpcUrls\[0\]: expected a URL that begins with http/,
      /chains\[1\]\.confirmations/,
    ]) {
      expect(problems).toMatch(expected)
    }
  })

  it('is reported in one message with a line per problem', () => {
    const message = (() => {
      try {
        readConfiguration({})
        return ''
      } catch (error) {
        return (error as Error).message
      }
    })()
    expect(message.split('\n')).toHaveLength(3)
    expect(message).toMatch(/^The configuration has 2 problems:\n {2}- /)
  })

  it.each([
    ['a name with another id', [{ ...base, chainId: 8453 }], /base_sepolia has id 84532, not 8453/],
    [
      'an id with another name',
      [{ ...base, name: 'base2' }],
      /84532 is called base_sepolia, not base2/,
    ],
    ['a chain that is there twice', [base, base], /chains\[1\]\.chainId: 84532 appears twice/],
    [
      'a node that is there twice',
      [{ ...base, rpcUrls: ['https://One.example/v2/Key', 'https://one.example:443/v2/Key/'] }],
      /chains\[0\]\.rpcUrls\[1\]: the same node as rpcUrls\[0\], which would count twice/,
    ],
    ['no chain at all', [], /chains: expected at least one chain/],
    ['a chain without a node', [{ ...base, rpcUrls: [] }], /rpcUrls: expected at least one URL/],
    [
      'more agreeing witnesses than operators',
      [
        {
          ...base,
          rpcUrls: ['https://one.example/a', 'https://one.example/b', 'https://two.example'],
          agreeingWitnesses: 3,
        },
      ],
      /agreeingWitnesses: expected at most the number of operators/,
    ],
    [
      'a ws URL that is http',
      [{ ...base, wsUrl: 'http://x' }],
      /wsUrl: expected a URL that begins with ws/,
    ],
  ])('%s', (_, chains, expected) => {
    expect(problemsOf(environment({ chains })).join('\n')).toMatch(expected)
  })

  it('a chains file that is absent, or not JSON', () => {
    const env = { DATABASE_URL: 'postgres://u:p@db/cairn', CHAINS: join(directory, 'none.json') }
    expect(problemsOf(env)).toEqual([expect.stringMatching(/none\.json\): can't be read/)])
    expect(problemsOf(environment('{"chains": ['))).toEqual([expect.stringMatching(/not JSON/)])
  })

  it.each([
    ['{\n  "chains": [\n    KEY1234567]}', 'line 3, column 5'],
    ['{\n  "url": "https://KEY1234567\n"}', 'line 2, column 29'],
    ['{"a": "https://KEY1234567" "b"}', 'line 1, column 28'],
    ['{"a": -KEY}', 'line 1, column 8'],
    ['{"a": tru3}', 'line 1, column 10'],
    ['{"a": "\\xKEY"}', 'line 1, column 9'],
    ['{} KEY1234567', 'line 1, column 4'],
    ['{"KEY1234567": [', 'it ends too early'],
  ])('where %j stops being JSON, without quoting it', (text, place) => {
    const path = join(directory, 'chains.json')
    expect(problemsOf(environment(text))).toEqual([`CHAINS (${path}): not JSON: ${place}`])
  })

  it('discloses only the host of an RPC URL', () => {
    const rpcUrls = [{ url: 'https://rpc.example/v2/KEY', requestsPerSecond: -1 }]
    expect(problemsOf(environment({ chains: [{ ...base, rpcUrls }] }))).toEqual([
      expect.stringMatching(/chains\[0\]\.requestsPerSecond\[rpc\.example\]: (?!.*KEY)/),
    ])
  })

  it.each([
    'mysql://u:p@db/cairn',
    'postgres://u:12#4@db/cairn',
    'postgres://u:12/4@db/cairn',
    'postgres://u:12?4@db/cairn',
    'postgres://u:12%4@db/cairn',
  ])('a database that is no PostgreSQL, or a password that isn’t encoded: %s', (url) => {
    const env = environment({ chains: [base] }, { DATABASE_URL: url })
    expect(problemsOf(env)).toEqual([
      expect.stringMatching(/^DATABASE_URL: expected postgres:.*%XX$/),
    ])
  })

  it.each([
    'postgresql://u:12%234@db/cairn',
    'postgres:///cairn?host=/var/run/postgresql',
    'postgres://u@/cairn?host=/var/run/postgresql',
    'postgres://u@db/cairn?sslmode=require',
  ])('takes %s', (url) => {
    expect(
      readConfiguration(environment({ chains: [base] }, { DATABASE_URL: url })).databaseUrl,
    ).toBe(url)
  })
})
