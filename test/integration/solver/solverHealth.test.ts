import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { startSolverApi } from '../../../api/solverService/startSolverApi.ts'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { createSolverAccount } from '../../../services/solver/account/solverAccount.ts'
import { holdAccountLock } from '../../../services/solver/journal/holdAccountLock.ts'
import { type RunningSolver, startSolver } from '../../../services/solver/startSolver.ts'
import { startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { findDeadPort } from '../../rig/findDeadPort.ts'
import { lintOpenApi } from '../../rig/lintOpenApi.ts'
import { until } from '../../rig/until.ts'

const account = createSolverAccount(deriveDevnetAccounts().solvers[0]!.privateKey)

/** A database, and a solver on it whose nodes don't answer. */
async function prepare() {
  const postgres = await startPostgresUnderTest()
  onTestFinished(() => postgres.stop())
  const { databaseUrl } = postgres
  const directory = mkdtempSync(join(tmpdir(), 'cairn-solver-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const policyFile = join(directory, 'policy.json')
  const amounts = { limits: { overall: '1' }, stakes: { USDC: '1' } }
  writeFileSync(policyFile, JSON.stringify({ prices: { USDC: '1' }, marginBps: 10, ...amounts }))
  const nowhere = `http://127.0.0.1:${await findDeadPort()}`
  const tokens = { USDC: { address: `0x${'c0'.repeat(20)}` as const, decimals: 6 } }
  const bridge = `0x${'b1'.repeat(20)}` as const
  const chain = { chainId: 84_532, bridge, startBlock: 0, confirmations: 1, tokens }
  const chains = [{ ...chain, name: 'base_sepolia', rpcUrls: [nowhere] }]
  const log = pino({ level: 'silent' })
  const where = { databaseUrl, chains, relayerUrl: nowhere, policyFile }
  const start = async (): Promise<RunningSolver> => {
    const solver = await startSolver({ ...where, account, roundMs: 200, log })
    onTestFinished(() => solver.stop())
    return solver
  }
  return { postgres, start, policyFile }
}

test('a solver whose database is gone doesn’t pass for one that waits for another instance', async () => {
  const { postgres, start } = await prepare()
  const atWork = holdAccountLock(postgres.databaseUrl, account.address)
  onTestFinished(() => atWork.stop())
  await until(() => atWork.isHeld(), 'another instance is at work')
  const solver = await start()
  await until(() => solver.isAlive(), 'it waits')
  await postgres.crash()
  await until(() => !solver.isAlive(), 'it isn’t alive', { timeout: 20_000 })
})

test('a solver whose nodes don’t answer isn’t alive, although its rounds go on', async () => {
  const { start, policyFile } = await prepare()
  const solver = await start()
  await until(async () => (await solver.status()).stats.lastRoundAt !== null, 'a round')
  expect(solver.isAlive()).toBe(false)
  const adminTokens = ['a'.repeat(32)]
  const api = await startSolverApi({ solver, host: '127.0.0.1', port: 0, adminTokens })
  onTestFinished(() => api.stop())
  const document = await (await fetch(`${api.url}/openapi.json`)).json()
  expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(['/start', '/stop']))
  expect(await lintOpenApi(document)).toEqual([])
  // For the alerts.
  const readProblems = async () => {
    const metrics = await (await fetch(`${api.url}/metrics`)).text()
    return [...metrics.matchAll(/^cairn_problem.*code="(.*)"} 1$/gm)].map(([, code]) => code)
  }
  expect(await readProblems()).toEqual(['degraded'])
  const policy = { ...JSON.parse(readFileSync(policyFile, 'utf8')), maxAgeSeconds: 60 }
  writeFileSync(policyFile, JSON.stringify(policy))
  utimesSync(policyFile, 1, 1)
  await until(async () => (await readProblems()).includes('POLICY_STALE'), 'the alert')
  // It doesn't bid any more, which another problem mustn't hide.
  writeFileSync(policyFile, 'no JSON')
  await until(async () => (await readProblems()).includes('POLICY_INVALID'), 'the next alert')
  expect(await readProblems()).toContain('POLICY_STALE')
})
