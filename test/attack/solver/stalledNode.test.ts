import { afterAll, beforeAll, expect, it } from 'vitest'
import { readIntentOnChain } from '../../integration/solver/fakeRelayer.ts'
import { type SolverRig, startSolverRig } from '../../integration/solver/solverRig.ts'
import { type FaultyRpc, startFaultyRpc } from '../../rig/faultyRpc.ts'
import { until } from '../../rig/until.ts'
import { advanceToBidding, hasBidder, useNodes } from './deceivedSolver.ts'

let rig: SolverRig
let nodes: FaultyRpc[]

beforeAll(async () => {
  rig = await startSolverRig()
  const { rpc } = rig.pair.base.node
  nodes = await Promise.all([startFaultyRpc(rpc), startFaultyRpc(rpc), startFaultyRpc(rpc)])
  useNodes(
    rig,
    nodes.map(({ url }) => url),
  )
})
afterAll(async () => {
  await Promise.all((nodes ?? []).map((node) => node.close()))
  await rig?.stop()
})

it('one of three nodes that stalls after the headers costs no bond', async () => {
  const solver = await rig.start()
  await rig.until(rig.isReady, 'it has staked')
  const id = await rig.offer()
  await advanceToBidding(rig, id)
  await until(() => hasBidder(rig, id), 'it has bid')
  await solver.stop()
  nodes[0]?.inject(() => ({ stall: true }))
  // Started again, it measures anew what it asks of the first node that answers.
  const restarted = await rig.start()
  await rig.pair.play.endAuction()
  await until(async () => (await readIntentOnChain(rig.pair, id)).phase === 2, 'it has deposited', {
    timeout: 100_000,
  })
  expect(nodes[0]?.calls.length).toBeGreaterThan(0)
  await restarted.stop()
})
