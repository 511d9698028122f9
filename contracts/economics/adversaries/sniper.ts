import type { Strategy } from '../adversaryStrategy.ts'
import { endTimeOf } from '../auctionRules.ts'
import { honestRelayer, margin, type Player, pickUp, worth } from '../players.ts'
import { above, deliverAs } from './spoiler.ts'

/** Bids one unit above everybody in the last block, up to `share` of its own price. */
function sniper(share: number): Strategy {
  return {
    name: `up to ${share} of its worth`,
    cast: (solvers, { first }) => ({
      solvers,
      adversary: snipe([first], share),
      relayer: honestRelayer,
    }),
  }
}

/** The cheapest of `accounts` snipes, the others don't bid. */
export function snipe(accounts: readonly number[], share: number): Player {
  const player: Player = {
    wake: 0,
    look(view, pending) {
      const { auction, time } = view
      const costs = view.market.costs
      const best = accounts.reduce((a, b) => ((costs[a] ?? 0) <= (costs[b] ?? 0) ? a : b))
      if (auction.phase === 'deposited') return deliverAs(player, best, view)
      const end = endTimeOf(auction)
      if (time >= end) return pickUp(player, best, view, worth(view, best, 1 - margin))
      player.wake = time < view.lastBlock ? view.lastBlock : end
      if (time < view.lastBlock) return []
      const amountB = above(view, pending)
      const pays = amountB <= worth(view, best, share)
      return pays ? [{ kind: 'bid', by: best, amountB }] : []
    },
  }
  return player
}

export const snipers: Strategy[] = [sniper(1), sniper(0.9995), sniper(1 - margin), sniper(0.998)]
