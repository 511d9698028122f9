import type { Strategy } from '../adversaryStrategy.ts'
import { endTimeOf } from '../auctionRules.ts'
import { honestRelayer, margin, type Player, pickUp, worth } from '../players.ts'
import { snipe } from './sniper.ts'
import { deliverAs } from './spoiler.ts'

/** Two solvers of which only the cheaper bids, in the last block and one unit above the rest. */
function sniping(share: number): Strategy {
  return {
    name: `snipes up to ${share} of its worth`,
    cast: (solvers, { first, second }) => ({
      solvers,
      adversary: snipe([first, second], share),
      relayer: honestRelayer,
    }),
  }
}

/** Two solvers of which only the cheaper bids, with everybody else, at a discount. */
function shading(discount: number): Strategy {
  return {
    name: `bids ${discount} less`,
    cast: (solvers, { first, second }, { costs }) => {
      const best = (costs[first] ?? 0) <= (costs[second] ?? 0) ? first : second
      const player: Player = {
        wake: 0,
        look(view) {
          const { auction, time } = view
          if (auction.phase === 'deposited') return deliverAs(player, best, view)
          const end = endTimeOf(auction)
          if (time >= end) return pickUp(player, best, view, worth(view, best, 1 - margin))
          player.wake = time < view.finalBlock ? view.finalBlock : end
          const price = Math.max(worth(view, best, 1 - margin - discount), auction.expectedAmountB)
          const bids = time >= view.finalBlock && price > auction.amountB
          return bids && price <= worth(view, best)
            ? [{ kind: 'bid', by: best, amountB: price }]
            : []
        },
      }
      return { solvers, adversary: player, relayer: honestRelayer }
    },
  }
}

export const cartels: Strategy[] = [
  sniping(1),
  sniping(1 - margin),
  shading(0),
  shading(0.001),
  shading(0.003),
]
