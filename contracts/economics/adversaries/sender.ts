import { type Family, type Strategy, solverUtility } from '../adversaryStrategy.ts'
import { endTimeOf } from '../auctionRules.ts'
import { amountA, market as fairPrice, reward } from '../marketScenario.ts'
import { honestRelayer, type Player } from '../players.ts'
import { above, deliverAs } from './spoiler.ts'

type Plan = {
  /** When the sender's own account bids. */
  at: 'early' | 'beforeFinal' | 'last'
  /** Its bid as a share of the market; 0 is one unit above everybody. */
  share: number
  /** Whether it honours its bid, delivering to itself, if nobody outbids it. */
  keeps: boolean
}

/** Drives up the price with a second account. */
function shill({ at, share, keeps }: Plan): Strategy {
  return {
    name: `bids ${share || 'one unit more'} ${at}, ${keeps ? 'delivers to itself' : 'keeps nothing'}`,
    cast: (solvers, { second }) => {
      let bidden = false
      const player: Player = {
        wake: 0,
        look(view, pending) {
          const { auction, time, finalBlock, lastBlock } = view
          if (auction.phase === 'deposited') return deliverAs(player, second, view)
          if (time >= endTimeOf(auction)) {
            player.wake = Number.POSITIVE_INFINITY
            const own = keeps && auction.solver === second
            return own ? [{ kind: 'deposit', by: second, amountB: auction.amountB }] : []
          }
          const from = { early: 10, beforeFinal: finalBlock - 1, last: lastBlock }[at]
          player.wake = bidden ? endTimeOf(auction) : from
          if (bidden || time < from) return []
          bidden = true
          player.wake = endTimeOf(auction)
          const least = above(view, pending)
          const amountB = share === 0 ? least : Math.floor(fairPrice * share)
          return amountB < least ? [] : [{ kind: 'bid', by: second, amountB }]
        },
      }
      return { solvers, adversary: player, relayer: honestRelayer }
    },
  }
}

/** How much more a bridged amount is worth to its sender than the tokens it escrowed. */
const worthOfBridging = 0.05 * amountA

/** Its recipients are blacklisted by the token: the delivery becomes a credit nobody can use. */
const refusedRecipients: Strategy = {
  name: 'names refused recipients',
  cast: (solvers) => ({ solvers, relayer: honestRelayer }),
}

const strategies: Strategy[] = [
  shill({ at: 'early', share: 0.99, keeps: true }),
  shill({ at: 'beforeFinal', share: 0.995, keeps: true }),
  shill({ at: 'beforeFinal', share: 0.997, keeps: true }),
  shill({ at: 'beforeFinal', share: 0.997, keeps: false }),
  shill({ at: 'last', share: 0, keeps: true }),
  shill({ at: 'last', share: 0, keeps: false }),
  refusedRecipients,
]

/** The sender's second account doesn't bid in the honest baseline. */
export const senders: Omit<Family, 'name'> = {
  strategies,
  partners: 0,
  utility: (outcome, accounts, market, strategy) => {
    const own = solverUtility(outcome, accounts)
    const { phase, solver, payout } = outcome.auction
    if (phase !== 'settled') return own
    const paid = amountA + reward
    if (strategy === refusedRecipients.name) return own - paid
    if (solver !== accounts.second) return own - paid + outcome.delivered + worthOfBridging
    // Delivering to itself, it has no solver's costs, and nothing was bridged.
    return own - paid + outcome.delivered + (market.costs[solver] ?? 0) * payout
  },
}
