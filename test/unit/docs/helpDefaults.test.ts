import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { Environment } from '../../../services/config/environmentVariableSchemas.ts'
import { findGasPriceCap } from '../../../services/config/findGasPriceCap.ts'
import { readConfiguration } from '../../../services/config/readConfiguration.ts'
import { readEnclaveConfiguration } from '../../../services/config/readEnclaveConfiguration.ts'
import { readOrdersConfiguration } from '../../../services/config/readOrdersConfiguration.ts'
import { readReactionsConfiguration } from '../../../services/config/readReactionsConfiguration.ts'
import { readSolverConfiguration } from '../../../services/config/readSolverConfiguration.ts'
import { findDailyBudget } from '../../../services/config/sponsorLimits.ts'

const ROOT = join(import.meta.dirname, '../../..')
const HELP = /ROLES_HELP = `(.*?)`/s.exec(readFileSync(join(ROOT, 'services/main.ts'), 'utf8'))![1]!

const directory = mkdtempSync(join(tmpdir(), 'cairn-help-'))
afterAll(() => rmSync(directory, { recursive: true }))

/** Writes a file that only we may read. @returns its path */
function fileWith(name: string, text: string): string {
  const path = join(directory, name)
  writeFileSync(path, text, { mode: 0o600 })
  return path
}

const address = '0x1111111111111111111111111111111111111111'
const chain = {
  ...{ name: 'base_sepolia', chainId: 84532, rpcUrls: ['http://127.0.0.1:8545'] },
  ...{ bridge: address, vault: address, startBlock: 0, confirmations: 1 },
}
/** What every role requires. */
const REQUIRED: Environment = {
  CHAINS: fileWith('chains.json', JSON.stringify({ chains: [chain] })),
  DATABASE_URL: 'postgres://u:p@db/cairn',
  ORDERS_DATABASE_URL: 'postgres://u:p@db/orders',
  ORDERS_RELAYER_URL: 'http://relayer.example',
  SOLVER_DATABASE_URL: 'postgres://u:p@db/solver',
  SOLVER_RELAYER_URL: 'http://relayer.example',
  SOLVER_POLICY: 'policy.json',
  SOLVER_KEY_FILE: fileWith('solver.key', '1'.repeat(64)),
  ENCLAVE_SOCKET: '/run/enclave.sock',
  ENCLAVE_ROOT_FILE: '/root-file',
}

/** The roles that read the variables of a section of the help. */
const READERS: Readonly<Record<string, (env: Environment) => unknown>> = {
  'indexer and api': readConfiguration,
  api: readConfiguration,
  enclave: readEnclaveConfiguration,
  reactions: readReactionsConfiguration,
  push: readConfiguration,
  solver: readSolverConfiguration,
  orders: readOrdersConfiguration,
}

/** The defaults that the help gives, as values of the variables. */
const DEFAULTS = HELP.split(/^Variables of /m)
  .slice(1)
  .flatMap((section) => {
    const [role = ''] = /^[a-z]+(?: and api)?/.exec(section) ?? []
    return [...section.matchAll(/^ {2}([A-Z]\w+(?:, [A-Z]\w+)*) +(.*(?:\n {3,}.*)*)/gm)].flatMap(
      ([, names = '', text = '']) => {
        const words = text.replaceAll(/\s+/g, ' ')
        const marked = /([\w.]+) \(default[):]/.exec(words)
        const given = /\(default ([\w.]+)(?: and ([\w.]+))?(?! on| of)\b/.exec(words)
        const values = (marked ?? given)?.slice(1).filter(Boolean) ?? []
        return values.map((value, at) => ({ role, name: names.split(', ')[at]!, value }))
      },
    )
  })

test('the help gives the defaults of more than twenty variables', () => {
  expect(DEFAULTS.length).toBeGreaterThan(20)
})

test.each(DEFAULTS)('$name of $role is $value unless it is set', ({ role, name, value }) => {
  const read = READERS[role]!
  expect(read({ ...REQUIRED, [name]: value })).toEqual(read(REQUIRED))
})

test('the help gives the usual limits on gas prices', () => {
  expect(HELP).toMatch(/default 200 on Ethereum, 2000 on\s+Polygon, 10 elsewhere/)
  const gwei = [1, 137, 8453].map((chainId) => Number(findGasPriceCap({ chainId })) / 1e9)
  expect(gwei).toEqual([200, 2_000, 10])
})

test('the help gives the daily budgets for Safes’ owners', () => {
  const { sponsoring } = readConfiguration(REQUIRED)
  const gwei = (chainId: number) => findDailyBudget(chainId, sponsoring) / 10n ** 9n
  const words = `default ${gwei(137)} on Polygon, ${gwei(8453)} elsewhere`
  expect(HELP.replaceAll(/\s+/g, ' ')).toContain(words)
})
