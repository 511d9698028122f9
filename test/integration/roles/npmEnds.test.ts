import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { buildDevnetContracts } from '../../../devnet/deploy/devnetContracts.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { awaitAllEnded, descendantsOf } from '../../rig/devnetProcess.ts'
import { until } from '../../rig/until.ts'
import { readCompiledContracts } from '../../run/compiledContracts.ts'
import { type BridgeChain, openBridgeChain } from '../indexer/bridgePair.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const WINDOWS = { pickup: 100, execution: 1_000, grace: 100 }
const directory = mkdtempSync(join(tmpdir(), 'cairn-npm-'))

let postgres: PostgresUnderTest
let chain: BridgeChain
let npm: ChildProcess | null = null

beforeAll(async () => {
  const contracts = buildDevnetContracts(
    await readCompiledContracts(),
    deriveDevnetAccounts(),
    WINDOWS,
  )
  ;[postgres, chain] = await Promise.all([
    startPostgresUnderTest(),
    openBridgeChain(contracts, 'base_sepolia', 84532, 2651420),
  ])
  writeFileSync(join(directory, 'chains.json'), JSON.stringify({ chains: [chain.config] }))
})

afterAll(async () => {
  npm?.kill('SIGKILL')
  await Promise.all([postgres?.stop(), chain?.node.stop()])
  rmSync(directory, { recursive: true, force: true })
})

test('SIGTERM to npm ends the indexer and its Ponder, and the log says why', async () => {
  let said = ''
  npm = spawn('npm', ['run', 'start:indexer'], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      DATABASE_URL: postgres.databaseUrl,
      CHAINS: join(directory, 'chains.json'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [npm.stdout, npm.stderr])
    stream?.on('data', (chunk: Buffer) => {
      said += chunk
    })
  await until(async () => {
    await chain.client.mine({ blocks: 1 })
    return said.includes('is live')
  })
  const started = descendantsOf(npm.pid as number)
  // The shell, the indexer, its Ponder.
  expect(started.length).toBeGreaterThanOrEqual(3)
  npm.kill('SIGTERM')
  await awaitAllEnded(started)
  await until(() => said.includes('"msg":"stopped"'))
  expect(said).toContain('"role":"indexer","why":"its parent process has ended","msg":"stopping"')
})
