import type { QuotedSolver } from '../../../core/quote/quoteOf.ts'
import type {
  Route,
  SolverRegistration,
} from '../../../services/relayer/solvers/solverRegistration.ts'
import type { Pair } from '../../../services/store/pairs/pairFilter.ts'
import type { Bidder, Stake } from '../../../services/store/quotes/quoteInputs.ts'

/** The solvers that are registered for a pair. */
export function registeredFor(
  registrations: readonly Pick<SolverRegistration, 'solver' | 'routes'>[],
  pair: Pair,
): SolverRegistration['solver'][] {
  return registrations
    .filter(({ routes }) => routes.some((route) => isSame(route, pair)))
    .map(({ solver }) => solver)
}

/**
 * Solvers with a stake that bid recently or registered, the most frequent bidders first. A registration
 * is free, so without a stake it doesn't count.
 */
export function quotedSolvers(
  bidders: readonly Bidder[],
  registered: readonly string[],
  stakes: readonly Stake[],
): QuotedSolver[] {
  return stakes
    .map(({ solver, staked, locked }) => {
      const { auctions = 0, lastBidAt = null } = bidders.find((one) => one.solver === solver) ?? {}
      return {
        solver,
        auctions,
        lastBidAt,
        isRegistered: registered.includes(solver),
        staked,
        locked,
      }
    })
    .sort((one, other) => other.auctions - one.auctions || (one.solver < other.solver ? -1 : 1))
}

function isSame(route: Route, pair: Pair): boolean {
  return (
    route.sourceChainId === pair.sourceChainId &&
    route.destChainId === pair.destChainId &&
    route.tokenA === pair.tokenA &&
    route.tokenB === pair.tokenB
  )
}
