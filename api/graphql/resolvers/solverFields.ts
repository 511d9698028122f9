import type { SolverDetail } from '../../../services/store/loadSolvers.ts'
import type { SolverTotals } from '../../../services/store/solverTotals.ts'
import { chainNameOf } from '../../../src/chain/names.ts'
import type { GraphqlContext } from '../context.ts'
import { solverId } from '../nodeId.ts'

/** What `Solver` is resolved from: its totals, and the rest if it was loaded with them. */
export type SolverNode = SolverTotals & Partial<SolverDetail>

/** Fields of `Solver` that aren't among its totals. */
export const solverFields = {
  id: ({ solver }: SolverNode) => solverId(solver),
  address: ({ solver }: SolverNode) => solver,
  chains: async (node: SolverNode, _: unknown, { loaders }: GraphqlContext) =>
    node.chains ?? (await loaders.solver.load(node.solver))?.chains ?? [],
  volumes: async (node: SolverNode, _: unknown, { loaders }: GraphqlContext) =>
    node.volumes ?? (await loaders.solver.load(node.solver))?.volumes ?? [],
}

/** Fields of types whose rows name one chain as `chainId`. */
export const chainFields = {
  chain: ({ chainId }: { chainId: number }) => chainNameOf(chainId),
}

/** Fields of types whose rows name a source chain and a destination chain. */
export const pairFields = {
  sourceChain: ({ sourceChainId }: { sourceChainId: number }) => chainNameOf(sourceChainId),
  destChain: ({ destChainId }: { destChainId: number }) => chainNameOf(destChainId),
}
