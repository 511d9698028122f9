import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ConfigurationError } from '../../../services/config/configurationError.ts'
import { readReactionsConfiguration } from '../../../services/config/readReactionsConfiguration.ts'

const directory = mkdtempSync(join(tmpdir(), 'cairn-reactions-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

function chainsFile(confirmations: unknown): string {
  const path = join(directory, 'chains.json')
  const address = '0x00000000000000000000000000000000000000b1'
  const tokens = { USDC: { address, decimals: 6, confirmations } }
  const chain = { name: 'base_sepolia', chainId: 84532, rpcUrls: ['http://127.0.0.1:1'], tokens }
  const rest = { bridge: address, startBlock: 1, confirmations: 2 }
  writeFileSync(path, JSON.stringify({ chains: [{ ...chain, ...rest }] }))
  return path
}

const env = (more: Record<string, string> = {}, confirmations: unknown = []) => ({
  DATABASE_URL: 'postgres://cairn:secret@127.0.0.1/cairn',
  CHAINS: chainsFile(confirmations),
  ENCLAVE_SOCKET: '/run/cairn/enclave.sock',
  ...more,
})

test('the usual values, and those of the environment', () => {
  expect(readReactionsConfiguration(env())).toMatchObject({
    refundAfter: 60,
    bumpAfterMs: 30_000,
    maxFeePerGas: null,
    unpaidGas: 60_000_000n,
  })
  const given = {
    REFUND_AFTER_SECONDS: '0',
    BUMP_AFTER_SECONDS: '5',
    MAX_FEE_GWEI: '7',
    RELAYER_UNPAID_GAS: '0',
  }
  expect(readReactionsConfiguration(env(given))).toMatchObject({
    refundAfter: 0,
    bumpAfterMs: 5_000,
    maxFeePerGas: 7_000_000_000n,
    unpaidGas: 0n,
  })
})

test('a table of confirmations for large amounts', () => {
  const table = [{ from: '1000000', blocks: 20 }]
  expect(readReactionsConfiguration(env({}, table)).chains[0]?.tokens?.USDC).toMatchObject({
    confirmations: table,
  })
})

test('everything that is wrong at once', () => {
  const wrong = env(
    { DATABASE_URL: 'mysql://x', ENCLAVE_SOCKET: '', MAX_FEE_GWEI: '0', BUMP_AFTER_SECONDS: '0' },
    [{ from: 'many', blocks: 1 }],
  )
  try {
    readReactionsConfiguration(wrong)
    expect.unreachable()
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError)
    const { problems } = error as ConfigurationError
    for (const name of ['DATABASE_URL', 'MAX_FEE_GWEI', 'BUMP_AFTER_SECONDS', 'CHAINS'])
      expect(problems.some((problem) => problem.startsWith(name))).toBe(true)
  }
})
