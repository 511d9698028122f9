import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { lockDirectory } from '../../../devnet/directoryLock.ts'
import { runProgram } from '../../runProgram.ts'

const NAMES = ['send', 'payroll', 'receive', 'order', 'webhook'] as const
type Name = (typeof NAMES)[number]

const directory = mkdtempSync(join(tmpdir(), 'cairn-examples-'))
const release = lockDirectory(directory)
afterAll(() => {
  release()
  rmSync(directory, { recursive: true })
})

const ADDRESS = `0x${'11'.repeat(20)}`
const chain = (name: string, chainId: number) => ({
  name,
  chainId,
  rpc: 'http://127.0.0.1:9',
  ws: 'ws://127.0.0.1:9',
  bridge: ADDRESS,
  registry: ADDRESS,
  vault: ADDRESS,
  tokens: { USDC: ADDRESS },
  startBlock: 0,
})

/** A devnet that runs, as far as its file and its lock say. */
function pretendDevnet(): void {
  const { privateKey } = deriveDevnetAccounts().deployer
  const file = {
    api: 'http://127.0.0.1:9',
    graphql: 'http://127.0.0.1:9/graphql',
    orders: 'http://127.0.0.1:9',
    adminToken: 'token',
    solvers: [],
    chains: [chain('base_sepolia', 84532), chain('horizen_testnet', 2651420)],
    accounts: {
      ...{ deployer: privateKey, relayer: privateKey, treasury: privateKey, operators: [] },
      ...{ quoting: privateKey, solvers: [], rogue: privateKey, senders: [] },
      guests: Array.from({ length: 5 }, () => privateKey),
    },
    databaseUrl: 'postgres://127.0.0.1:9/cairn',
  }
  writeFileSync(join(directory, 'devnet.json'), JSON.stringify(file))
}

async function expectOneLine(name: Name, args: string[], line: string): Promise<void> {
  const main = fileURLToPath(new URL(`../../../examples/${name}/main.ts`, import.meta.url))
  const { code, stdout, stderr } = await runProgram(main, args)
  expect([code, stdout, stderr], name).toEqual([2, '', expect.stringContaining(line)])
  expect(stderr.split('\n'), stderr).toHaveLength(2)
}

test('an example says in one line that its devnet is not there, or not yet', async () => {
  for (const name of NAMES) {
    const more = name === 'receive' ? ['--api', 'http://127.0.0.1:9'] : []
    const away = ['--directory', 'nosuch', ...more]
    await expectOneLine(name, away, "the devnet of nosuch isn't running: start it with npm start")
    const starting = ['--directory', directory, ...more]
    await expectOneLine(name, starting, `the devnet of ${directory} is still starting`)
  }
})

test('an example refuses a bad argument in one line', async () => {
  for (const name of NAMES) await expectOneLine(name, ['--nosuch'], "Unknown option '--nosuch'")
  pretendDevnet()
  const wrong: [Name, string[], string][] = [
    ['send', ['--recipient', '0x12'], '--recipient 0x12 is not an address'],
    ['order', ['--recipient', '0x12'], '--recipient 0x12 is not an address'],
    ['send', ['--guest', '9'], '--guest must be 0 to 4'],
    ['webhook', ['--events', 'few'], '--events must be 1 or more'],
    ['payroll', ['--file', 'nosuch'], "--file nosuch can't be read"],
    // Nor is a relayer that doesn't answer a matter for a stack trace.
    ['send', [], 'RPC_UNREACHABLE: '],
  ]
  for (const [name, args, line] of wrong)
    await expectOneLine(name, [...args, '--directory', directory], line)
})
