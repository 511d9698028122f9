import type { Strategy } from '../adversaryStrategy.ts'
import { calculateBond, endTimeOf } from '../auctionRules.ts'
import { honestRelayer, honestSolver, margin, type Player, pickUp, worth } from '../players.ts'
import { deliverAs } from './spoiler.ts'

type Plan = {
  /** How much above its own price it bids, as a share. */
  boldness: number
  /** Seconds after the auction's end at which it decides. */
  decidesAfter: number
  /** The loss it prefers to forfeiting its lock, as a share of the lock. */
  pain: number
}

/** Bids like a solver, and deposits only if the price has moved in its favour. */
function noShow({ boldness, decidesAfter, pain }: Plan): Strategy {
  return {
    name: `${boldness} bolder, decides after ${decidesAfter} s, bears ${pain} of its lock`,
    cast: (solvers, { first }, market) => {
      const bidder = honestSolver(first, market, (1 - margin) * (1 + boldness))
      const player: Player = {
        wake: 0,
        look(view, pending) {
          const { auction, time } = view
          if (auction.phase === 'deposited') return deliverAs(player, first, view)
          const end = endTimeOf(auction)
          if (time < end) {
            const steps = bidder.look(view, pending)
            player.wake = bidder.wake >= end ? end + decidesAfter : bidder.wake
            return steps
          }
          const loss = auction.amountB - worth(view, first)
          if (auction.solver === first && loss > pain * calculateBond(auction)) {
            const over = time >= end + 2 * auction.windows.pickup
            player.wake = over ? Number.POSITIVE_INFINITY : time + 1
            return []
          }
          return pickUp(player, first, view, worth(view, first, 1 - margin))
        },
      }
      return { solvers: [...solvers, player], relayer: honestRelayer }
    },
  }
}

export const noShows: Strategy[] = [0, 0.0005, 0.001].flatMap((boldness) =>
  [0, 46, 106].flatMap((decidesAfter) =>
    [0, 0.5, 1].map((pain) => noShow({ boldness, decidesAfter, pain })),
  ),
)
