import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { runProgram } from '../../runProgram.ts'

const MAIN = fileURLToPath(new URL('../../../tools/recoverOrders/main.ts', import.meta.url))

const directory = mkdtempSync(join(tmpdir(), 'cairn-recover-orders-'))
afterAll(() => rmSync(directory, { recursive: true }))

/** A chains file. Nobody listens at its node, and nobody is asked. */
function chainsFile(name: string, contracts: object): string {
  const chain = { name: 'base_sepolia', chainId: 84532, bridge: `0x${'11'.repeat(20)}` }
  const rest = { startBlock: 1, confirmations: 1, rpcUrls: ['http://127.0.0.1:1'], ...contracts }
  const path = join(directory, name)
  writeFileSync(path, JSON.stringify({ chains: [{ ...chain, ...rest }] }))
  return path
}

const noVault = chainsFile('bridge.json', {})
const chains = chainsFile('vault.json', { vault: `0x${'22'.repeat(20)}` })
const database = 'postgres://cairn:topsecret@127.0.0.1:1/orders'

// 1 would mean that it ran and a certificate is incomplete.
test.each([
  [['--nonsense'], '--nonsense'],
  [[], '--chains'],
  [['--chains', join(directory, 'missing.json'), '--enclave', 'socket'], 'missing.json'],
  [['--chains', noVault, '--enclave', 'socket'], 'no chain in'],
  [
    ['--chains', chains, '--enclave', 'socket', '--database-url', database],
    '--database-url: nothing listens at 127.0.0.1:1',
  ],
])('recover:orders %j exits with 2 and says why', async (args, words) => {
  const { code, stdout, stderr } = await runProgram(MAIN, args)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(words)
  expect(stderr).not.toContain('topsecret')
})
