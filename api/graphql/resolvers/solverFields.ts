import { findChainName } from '../../../core/chain/chainNames.ts'
import type { SolverDetail, SolverTotals } from '../../../services/store/solvers/listSolvers.ts'
import type { SolverStakeRow } from '../../../src/projection/rowTypes.ts'
import type { GraphqlContext } from '../graphqlContext.ts'
import { solverId } from '../objectIds.ts'

/** Source object of `Solver`: its totals, and its details if they were loaded too. */
type SolverNode = SolverTotals & Partial<SolverDetail>

/** Fields of `Solver` that aren't among its totals. */
export const solverFields = {
  id: ({ solver }: SolverNode) => solverId(solver),
  address: ({ solver }: SolverNode) => solver,
  chains: detail('chains'),
  volumes: detail('volumes'),
  stakes: detail('stakes'),
  sealingKeys: detail('sealingKeys'),
  forfeits: detail('forfeits'),
}

function detail(name: Exclude<keyof SolverDetail, keyof SolverTotals>) {
  return async (node: SolverNode, _: unknown, { loaders }: GraphqlContext) =>
    node[name] ?? (await loaders.solver.load(node.solver))?.[name] ?? []
}

/** Fields of types whose rows name one chain as `chainId`. */
export const chainFields = {
  chain: ({ chainId }: { chainId: number }) => findChainName(chainId),
}

/** Fields of `SolverStake` that aren't columns of its row. */
export const stakeFields = {
  ...chainFields,
  free: ({ staked, locked }: SolverStakeRow) => staked - locked,
}

/** Fields of types whose rows name a source chain and a destination chain. */
export const pairFields = {
  sourceChain: ({ sourceChainId }: { sourceChainId: number }) => findChainName(sourceChainId),
  destChain: ({ destChainId }: { destChainId: number }) => findChainName(destChainId),
}
