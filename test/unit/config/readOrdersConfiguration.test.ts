import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ConfigurationError } from '../../../services/config/configurationError.ts'
import { readOrdersConfiguration } from '../../../services/config/readOrdersConfiguration.ts'

const directory = mkdtempSync(join(tmpdir(), 'cairn-orders-config-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

function chainsFile(name: string, more: object): string {
  const path = join(directory, name)
  const chain = {
    name: 'base_sepolia',
    chainId: 84532,
    rpcUrls: ['http://127.0.0.1:1'],
    bridge: `0x${'22'.repeat(20)}`,
    startBlock: 0,
    confirmations: 1,
  }
  writeFileSync(path, JSON.stringify({ chains: [{ ...chain, ...more }] }))
  return path
}

const ENV = {
  ORDERS_DATABASE_URL: 'postgres://u:p@127.0.0.1/orders',
  ORDERS_RELAYER_URL: 'http://127.0.0.1:8080/',
  ENCLAVE_SOCKET: '/run/cairn/enclave.sock',
  CHAINS: chainsFile('chains.json', { vault: `0x${'33'.repeat(20)}` }),
}

function problemsOf(env: Record<string, string | undefined>): string {
  try {
    readOrdersConfiguration(env)
    return ''
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError)
    return (error as ConfigurationError).problems.join('\n')
  }
}

test('what can have defaults has them', () => {
  expect(readOrdersConfiguration({ ...ENV, ORDERS_PORT: ' ' })).toMatchObject({
    host: '127.0.0.1',
    port: 8095,
    relayerUrl: 'http://127.0.0.1:8080',
    roundMs: 500,
    weiPerMinimum: 10n ** 15n,
    unpaidGasOfAll: 60_000_000n,
  })
})

test('what is missing or wrong is said at once', () => {
  const missing = problemsOf({})
  for (const name of ['ORDERS_DATABASE_URL', 'ORDERS_RELAYER_URL', 'CHAINS']) {
    expect(missing).toContain(`${name} is not set`)
  }
  const wrong = problemsOf({
    ...ENV,
    ORDERS_PORT: '70000',
    ORDERS_RELAYER_URL: 'ftp://x',
    ORDERS_UNPAID_GAS: '6e7',
  })
  expect(wrong).toContain('ORDERS_UNPAID_GAS: expected gas')
  expect(wrong).toContain('ORDERS_PORT: expected a port')
  expect(wrong).toContain('ORDERS_RELAYER_URL')
  expect(problemsOf({ ...ENV, ENCLAVE_SOCKET: '' })).toContain('ENCLAVE_SOCKET is not set')
  const CHAINS = chainsFile('no vault.json', {})
  expect(problemsOf({ ...ENV, CHAINS })).toContain('no chain has a vault')
})
