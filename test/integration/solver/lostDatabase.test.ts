import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { onTestFinished, test } from 'vitest'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { findFreePort } from '../../../services/process/findFreePort.ts'
import { createSolverAccount } from '../../../services/solver/account/solverAccount.ts'
import { holdAccountLock } from '../../../services/solver/journal/holdAccountLock.ts'
import { startSolver } from '../../../services/solver/startSolver.ts'
import { startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { until } from '../../rig/until.ts'

test('a solver whose database is gone doesn’t pass for one that waits for another instance', async () => {
  const postgres = await startPostgresUnderTest()
  onTestFinished(() => postgres.stop())
  const directory = mkdtempSync(join(tmpdir(), 'cairn-solver-'))
  const policyFile = join(directory, 'policy.json')
  writeFileSync(
    policyFile,
    JSON.stringify({
      prices: { USDC: '1' },
      marginBps: 10,
      limits: { overall: '1' },
      stakes: { USDC: '1' },
    }),
  )
  const nowhere = `http://127.0.0.1:${await findFreePort()}`
  const bridge = `0x${'b1'.repeat(20)}` as const
  const tokens = { USDC: { address: `0x${'c0'.repeat(20)}` as const, decimals: 6 } }
  const chain = { name: 'base_sepolia', chainId: 84_532, rpcUrls: [nowhere], bridge, tokens }
  const account = createSolverAccount(deriveDevnetAccounts().solvers[0]!.privateKey)
  const atWork = holdAccountLock(postgres.databaseUrl, account.address)
  await until(() => atWork.isHeld(), 'another instance is at work')
  const solver = await startSolver({
    databaseUrl: postgres.databaseUrl,
    chains: [{ ...chain, startBlock: 0, confirmations: 1 }],
    relayerUrl: nowhere,
    policyFile,
    account,
    roundMs: 200,
    log: pino({ level: 'silent' }),
  })
  onTestFinished(async () => {
    await Promise.all([solver.stop(), atWork.stop()])
    rmSync(directory, { recursive: true })
  })
  await until(() => solver.isAlive(), 'it waits')
  await postgres.crash()
  await until(() => !solver.isAlive(), 'it isn’t alive', { timeout: 20_000 })
})
