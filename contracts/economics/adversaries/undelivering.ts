import type { Strategy } from '../adversaryStrategy.ts'
import { calculateBond } from '../auctionRules.ts'
import { honestRelayer, honestSolver, margin, type Player, type View, worth } from '../players.ts'

type Plan = {
  boldness: number
  /** Seconds after the deposit at which it decides. */
  decidesAfter: number
  /** Whether it requests the recipients on chain. */
  asks: boolean
}

/** Wins like a solver, then waits for the price to make delivery worthwhile. */
function undelivered({ boldness, decidesAfter, asks }: Plan): Strategy {
  return {
    name: `${boldness} bolder, decides after ${decidesAfter} s`,
    cast: (solvers, { first }, market) => {
      const bidder = honestSolver(first, market, (1 - margin) * (1 + boldness))
      const player: Player = {
        wake: 0,
        look(view, pending) {
          if (view.auction.phase === 'deposited') {
            return decide(player, first, view, decidesAfter, asks)
          }
          const steps = bidder.look(view, pending)
          player.wake = bidder.wake
          return steps
        },
      }
      return { solvers: [...solvers, player], relayer: honestRelayer }
    },
  }
}

function decide(player: Player, account: number, view: View, after: number, asks: boolean) {
  const { auction, time, depositedAt } = view
  player.wake = Number.POSITIVE_INFINITY
  if (auction.solver !== account || view.delivered) return []
  const askAt = depositedAt + auction.windows.execution / 4
  if (asks && !auction.asked && time <= askAt + auction.windows.execution / 8) {
    player.wake = time < askAt ? askAt : depositedAt + after
    return time < askAt ? [] : [{ kind: 'ask' as const, by: account }]
  }
  if (time < depositedAt + after) {
    player.wake = depositedAt + after
    return []
  }
  // The answer came, so the lock is at stake. Without an answer, leaving is free.
  const stake = auction.asked && !auction.revealed ? 0 : calculateBond(auction)
  const loss = auction.amountB - worth(view, account)
  return loss > stake ? [] : [{ kind: 'deliver' as const, by: account }]
}

export function listUndeliveringStrategies(asks: boolean): Strategy[] {
  return [0, 0.0005, 0.001].flatMap((boldness) =>
    [1_900, 3_500].map((decidesAfter) => undelivered({ boldness, decidesAfter, asks })),
  )
}
