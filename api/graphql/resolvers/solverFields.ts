import { chainNameOf } from '../../../core/chain/names.ts'
import type { SolverDetail, SolverTotals } from '../../../services/store/solvers/listSolvers.ts'
import type { SolverStakeRow } from '../../../src/projection/rows.ts'
import type { GraphqlContext } from '../context.ts'
import { solverId } from '../nodeId.ts'

/** What `Solver` is resolved from: its totals, and the rest if it was loaded with them. */
type SolverNode = SolverTotals & Partial<SolverDetail>

/** Fields of `Solver` that aren't among its totals. */
export const solverFields = {
  id: ({ solver }: SolverNode) => solverId(solver),
  address: ({ solver }: SolverNode) => solver,
  chains: async (node: SolverNode, _: unknown, { loaders }: GraphqlContext) =>
    node.chains ?? (await loaders.solver.load(node.solver))?.chains ?? [],
  volumes: async (node: SolverNode, _: unknown, { loaders }: GraphqlContext) =>
    node.volumes ?? (await loaders.solver.load(node.solver))?.volumes ?? [],
  stakes: async (node: SolverNode, _: unknown, { loaders }: GraphqlContext) =>
    node.stakes ?? (await loaders.solver.load(node.solver))?.stakes ?? [],
  sealingKeys: async (node: SolverNode, _: unknown, { loaders }: GraphqlContext) =>
    node.sealingKeys ?? (await loaders.solver.load(node.solver))?.sealingKeys ?? [],
  forfeits: async (node: SolverNode, _: unknown, { loaders }: GraphqlContext) =>
    node.forfeits ?? (await loaders.solver.load(node.solver))?.forfeits ?? [],
}

/** Fields of `SolverStake` that aren't columns of its row. */
export const stakeFields = {
  chain: ({ chainId }: SolverStakeRow) => chainNameOf(chainId),
  free: ({ staked, locked }: SolverStakeRow) => staked - locked,
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
