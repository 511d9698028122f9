import { type Address, encodeFunctionData, parseAbi } from 'viem'
import { intentOf } from '../../integration/solver/fakeRelayer.ts'
import { type SolverRig, startSolverRig } from '../../integration/solver/solverRig.ts'
import { type FaultyRpc, startFaultyRpc } from '../../rig/faultyRpc.ts'

/** A solver that has staked, and a node of its source chain that may lie: the only one that it has. */
export async function startDeceivedSolver(): Promise<{ rig: SolverRig; liar: FaultyRpc }> {
  const rig = await startSolverRig()
  const liar = await startFaultyRpc(rig.pair.base.node.rpc)
  useNodes(rig, [liar.url])
  // Without a stake it couldn’t bid, lied to or not.
  const solver = await rig.start()
  await rig.until(rig.isReady, 'it has staked')
  await solver.stop()
  return { rig, liar }
}

/** The source chain's nodes that the solver has. */
export function useNodes(rig: SolverRig, rpcUrls: string[]): void {
  const { chainId } = rig.pair.base
  rig.order.chains = rig.order.chains.map((chain) =>
    chain.chainId === chainId ? { ...chain, rpcUrls } : chain,
  )
}

/** Makes the solver rich on the destination chain. */
export async function endow({ pair }: SolverRig, token: Address, value: bigint): Promise<void> {
  const { solvers, senders } = pair.horizen
  const abi = parseAbi(['function mint(address to, uint256 amount)'])
  const args = [solvers[0]!.address, value] as const
  const data = encodeFunctionData({ abi, functionName: 'mint', args })
  await senders[0]!.execute({ to: token, data })
}

/**
 * Goes to where solvers bid, and a block further: by its distance they tell how often blocks come. The next one, with
 * whatever is sent, comes right behind, however long that takes: no clock keeps off a bid that a solver would make.
 */
export async function letBidsCome({ pair }: SolverRig, id: bigint): Promise<void> {
  await pair.play.letRecipientsStand(id)
  const { client } = pair.base
  const { timestamp } = await client.getBlock()
  await client.setNextBlockTimestamp({ timestamp: timestamp + 1n })
  await client.mine({ blocks: 1 })
  await client.setNextBlockTimestamp({ timestamp: timestamp + 2n })
}

export async function hasBidder({ pair }: SolverRig, id: bigint): Promise<boolean> {
  return !/^0x0+$/.test((await intentOf(pair, id)).solver)
}
