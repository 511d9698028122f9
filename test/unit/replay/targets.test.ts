import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runReplay } from '../../integration/replay/runReplay.ts'

const directory = mkdtempSync(join(tmpdir(), 'cairn-replay-targets-'))
const CHAINS = join(directory, 'chains.json')

beforeAll(() => {
  const chain = { bridge: `0x${'11'.repeat(20)}`, startBlock: 1, confirmations: 1 }
  const chains = [
    // Nobody listens there, and nobody is asked: the command line is wrong by itself.
    { ...chain, name: 'base_sepolia', chainId: 84532, rpcUrls: ['http://127.0.0.1:1'] },
    { ...chain, name: 'horizen_testnet', chainId: 2651420, rpcUrls: ['http://127.0.0.1:1'] },
  ]
  writeFileSync(CHAINS, JSON.stringify({ chains }))
})

afterAll(() => rmSync(directory, { recursive: true, force: true }))

test.each([
  [['--as-of', 'base_sepholia=5'], 'no chain called base_sepholia is configured'],
  [['--as-of', 'polygon_mainnet=5'], 'There are base_sepolia, horizen_testnet'],
  [
    ['--chain', 'base_sepolia', '--as-of', 'horizen_testnet=5'],
    '--as-of names horizen_testnet, which --chain excludes',
  ],
  [['--chain', 'nowhere'], '--chain: no chain called nowhere is configured'],
])('%j is refused instead of reporting the head', async (args, said) => {
  const run = await runReplay(args, { CHAINS })
  expect(run.code).toBe(2)
  expect(run.stdout).toBe('')
  expect(run.stderr).toContain(said)
})
