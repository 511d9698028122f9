import type { Address } from 'viem'
import { readIntentOnChain } from '../../integration/solver/fakeRelayer.ts'
import { type SolverRig, startSolverRig } from '../../integration/solver/solverRig.ts'
import { encodeMint } from '../../rig/encodeMint.ts'
import { type FaultyRpc, startFaultyRpc } from '../../rig/faultyRpc.ts'

/** A staked solver whose only node on the source chain may lie. */
export async function startDeceivedSolver(): Promise<{ rig: SolverRig; liar: FaultyRpc }> {
  const rig = await startSolverRig()
  const liar = await startFaultyRpc(rig.pair.base.node.rpc)
  useNodes(rig, [liar.url])
  // Without a stake it could not bid in any case.
  const solver = await rig.start()
  await rig.until(rig.isReady, 'it has staked')
  await solver.stop()
  return { rig, liar }
}

/** Sets the solver's nodes on a chain; default: the source chain. */
export function useNodes(
  rig: SolverRig,
  rpcUrls: string[],
  { chainId }: { chainId: number } = rig.pair.base,
): void {
  rig.order.chains = rig.order.chains.map((chain) =>
    chain.chainId === chainId ? { ...chain, rpcUrls } : chain,
  )
}

/** Mints tokens for the solver on the destination chain. */
export async function mintForSolver(
  { pair }: SolverRig,
  token: Address,
  value: bigint,
): Promise<void> {
  const { solvers, senders } = pair.horizen
  await senders[0]!.execute({ to: token, data: encodeMint(solvers[0]!.address, value) })
}

/**
 * Moves to the time of bidding and mines another block a second later, from which solvers measure the time between
 * blocks. The next block's timestamp is a second later too, however long it takes, so that no bid comes too late.
 */
export async function advanceToBidding({ pair }: SolverRig, id: bigint): Promise<void> {
  await pair.play.letRecipientsStand(id)
  const { client } = pair.base
  const { timestamp } = await client.getBlock()
  await client.setNextBlockTimestamp({ timestamp: timestamp + 1n })
  await client.mine({ blocks: 1 })
  await client.setNextBlockTimestamp({ timestamp: timestamp + 2n })
}

export async function hasBidder({ pair }: SolverRig, id: bigint): Promise<boolean> {
  return !/^0x0+$/.test((await readIntentOnChain(pair, id)).solver)
}
