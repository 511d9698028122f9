import { afterAll, beforeAll, expect, it } from 'vitest'
import { readIntentOnChain } from '../../integration/solver/fakeRelayer.ts'
import type { SolverRig } from '../../integration/solver/solverRig.ts'
import { type FaultyRpc, startFaultyRpc } from '../../rig/faultyRpc.ts'
import { until } from '../../rig/until.ts'
import {
  advanceToBidding,
  hasBidder,
  mintForSolver,
  startDeceivedSolver,
  useNodes,
} from './deceivedSolver.ts'

let rig: SolverRig
let nodes: FaultyRpc[]

beforeAll(async () => {
  const { rig: started, liar } = await startDeceivedSolver()
  rig = started
  nodes = [liar, await startFaultyRpc(rig.pair.base.node.rpc)]
  useNodes(
    rig,
    nodes.map(({ url }) => url),
  )
  await mintForSolver(rig, rig.pair.base.contracts.tokens.ZEN, 10n ** 24n)
})
afterAll(async () => {
  await Promise.all((nodes ?? []).map((node) => node.close()))
  await rig?.stop()
})

it('a relayer that misstates an intent costs no bond if nodes of two operators show its terms', async () => {
  const id = await rig.offer()
  await advanceToBidding(rig, id)
  const solver = await rig.start()
  await until(() => hasBidder(rig, id), 'it has bid')
  rig.relayer.misstatesTerms(true)
  await rig.pair.play.endAuction()
  await until(async () => (await readIntentOnChain(rig.pair, id)).phase === 2, 'it has deposited')
  const { payee } = rig.relayer
  await rig.until(async () => (await rig.zenOf(payee)) > 0n, 'it has delivered')
  expect(await rig.zenOf(payee)).toBe((await readIntentOnChain(rig.pair, id)).amountB)
  await solver.stop()
})
