import { type Address, encodeFunctionData, erc20Abi, maxUint256 } from 'viem'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { migrateJournal } from '../../../services/solver/journal/migrateJournal.ts'
import { encodeMint } from '../../rig/encodeMint.ts'
import { type SolverRig, startSolverRig } from './solverRig.ts'

const THIEF: Address = `0x${'de'.repeat(20)}`

let rig: SolverRig

beforeAll(async () => {
  rig = await startSolverRig()
})
afterAll(() => rig.stop())

it('signs no call that somebody else wrote into its database, and requests the overwritten one again', async () => {
  const { base, horizen } = rig.pair
  const { ZEN } = horizen.contracts.tokens
  const { USDC } = base.contracts.tokens
  const [solver, operator] = [horizen.solvers[0], horizen.senders[0]]
  if (!solver || !operator) throw new Error('no accounts')
  const me = solver.address
  await operator.execute({ to: ZEN, data: encodeMint(me, 10n ** 24n) })
  const all = await rig.zenOf(me)
  await migrateJournal(rig.order.databaseUrl)
  const client = await rig.postgres.connect()
  const write = async (chainId: number, effect: string, to: Address, data: string) => {
    const { rows } = await client.query(
      `insert into app.transaction (kind, chain_id, effect, account, to_address, data, mac)
       values ('approve', $1, $2, $3, $4, $5, repeat('0', 64)) returning id`,
      [chainId, effect, me.toLowerCase(), to.toLowerCase(), data],
    )
    return rows[0].id as number
  }
  const transfer = { abi: erc20Abi, functionName: 'transfer', args: [THIEF, all] } as const
  const theft = await write(horizen.chainId, 'x', ZEN, encodeFunctionData(transfer))
  const approve = { abi: erc20Abi, functionName: 'approve', args: [THIEF, maxUint256] } as const
  // In place of an approval that the solver needs.
  await write(base.chainId, USDC.toLowerCase(), USDC, encodeFunctionData(approve))
  const running = await rig.start()
  const read = async () => {
    const { rows } = await client.query(
      'select state, problem, nonce from app.transaction where id = $1',
      [theft],
    )
    return rows[0]
  }
  await rig.until(async () => ['failed', 'confirmed'].includes((await read()).state), 'it is over')
  expect(await read()).toEqual({
    state: 'failed',
    problem: 'TRANSACTION_NOT_AUTHENTIC',
    nonce: null,
  })
  expect(await rig.zenOf(THIEF)).toBe(0n)
  await rig.until(rig.isReady, 'it has approved and staked')
  const allowed = await base.client.readContract({
    address: USDC,
    abi: erc20Abi,
    functionName: 'allowance',
    args: [me, THIEF],
  })
  expect(allowed).toBe(0n)
  await running.stop()
})
