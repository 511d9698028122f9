import type { Policy } from '../policy/policy.ts'
import { isTokenPending, type Snapshot } from './solverSnapshot.ts'

/** What the solver's account lacks on a chain, in base units. */
export type Shortage = {
  chainId: number
  /** Null: the chain's coin. */
  symbol: string | null
  holds: bigint
  /** The policy's reserve of coins, or what is missing from its stake. */
  needs: bigint
}

/** Why the solver, for lack of funds, stakes and bids less than its policy says: otherwise it would wait in silence. */
export function findShortages(snapshot: Snapshot, policy: Policy): Shortage[] {
  return [...snapshot.chains.values()]
    .filter(({ chainId }) => policy.chains.has(chainId))
    .flatMap(({ chainId, native, balances, stakes }): Shortage[] => {
      if (native < policy.gasReserve)
        return [{ chainId, symbol: null, holds: native, needs: policy.gasReserve }]
      return [...policy.tokens.values()].flatMap((token) => {
        const address = token.address.toLowerCase()
        const [holds, staked] = [balances.get(address), stakes.get(address)]
        // Without an answer nothing is known, and a pending stake may or may not have left the balance.
        if (token.chainId !== chainId || token.stake === null || !staked || holds === undefined)
          return []
        if (isTokenPending(snapshot, ['stake'], chainId, address)) return []
        const needs = token.stake - staked.total
        return needs > holds ? [{ chainId, symbol: token.symbol, holds, needs }] : []
      })
    })
}
