import type { Strategy } from '../adversaryStrategy.ts'
import { endTimeOf, firmAtOf, pickupFloor } from '../auctionRules.ts'
import { honestRelayer, type Player, type Step, type View, worth } from '../players.ts'

type Plan = {
  /** When the first account ends the competition. */
  at: 'firm' | 'final' | 'last'
  /** Its bid: just above everyone, a share of the market, or more than anyone could pay. */
  height: 'above' | 'market' | 'huge'
  /** When the second account may take the intent over, as a share of the second window. */
  patience: number
}

const huge = 2 ** 40

/** Ends the auction with a bid it won't honour, and takes the intent over with another account. */
function spoiler(plan: Plan): Strategy {
  const name = `${plan.height} at ${plan.at}, back after ${plan.patience}`
  return {
    name,
    cast: (solvers, { first, second }) => {
      let spoilt = false
      const player: Player & { first: boolean } = {
        wake: 0,
        first: plan.at !== 'last',
        look(view, pending) {
          const { auction, time } = view
          if (auction.phase === 'deposited') return deliverAs(player, second, view)
          if (time >= endTimeOf(auction)) return buyBack(player, plan, second, view)
          const at = timeOf(plan, view)
          player.wake = spoilt ? endTimeOf(auction) + auction.windows.pickup : at
          if (spoilt || time < at) return []
          spoilt = true
          player.wake = endTimeOf(auction) + auction.windows.pickup
          return [{ kind: 'bid', by: first, amountB: heightOf(plan, first, view, pending) }]
        },
      }
      return { solvers, adversary: player, relayer: honestRelayer }
    },
  }
}

function timeOf({ at }: Plan, view: View): number {
  if (at === 'firm') return firmAtOf(view.auction)
  return at === 'final' ? view.finalBlock : view.lastBlock
}

function heightOf({ height }: Plan, account: number, view: View, pending: readonly Step[]): number {
  if (height === 'huge') return huge
  return height === 'market'
    ? Math.max(worth(view, account), above(view, pending))
    : above(view, pending)
}

/** The lowest bid that beats all others, this block included. */
export function above(view: View, pending: readonly Step[]): number {
  let best = Math.max(view.auction.amountB, view.auction.expectedAmountB - 1)
  for (const step of pending) if (step.kind === 'bid' && step.amountB > best) best = step.amountB
  return best + 1
}

function buyBack(player: Player, plan: Plan, account: number, view: View): Step[] {
  const { auction, time } = view
  const { pickup } = auction.windows
  const opens = endTimeOf(auction) + pickup
  player.wake = Math.max(time + 1, opens + plan.patience * pickup)
  if (time < opens + plan.patience * pickup) return []
  if (time >= opens + pickup) {
    player.wake = Number.POSITIVE_INFINITY
    return []
  }
  const floor = pickupFloor(auction, time)
  return floor <= worth(view, account) ? [{ kind: 'deposit', by: account, amountB: floor }] : []
}

/** Delivers at once whatever the account has won. */
export function deliverAs(player: Player, account: number, view: View): Step[] {
  player.wake = view.depositedAt + 60
  if (view.auction.solver !== account || view.delivered) {
    player.wake = Number.POSITIVE_INFINITY
    return []
  }
  return view.time < player.wake ? [] : [{ kind: 'deliver', by: account }]
}

/** Only what really ends the competition: an early bid that is outbid spoils nothing. */
const plans: Pick<Plan, 'at' | 'height'>[] = [
  { at: 'firm', height: 'huge' },
  { at: 'final', height: 'market' },
  { at: 'final', height: 'huge' },
  { at: 'last', height: 'above' },
  { at: 'last', height: 'market' },
  { at: 'last', height: 'huge' },
]

export const spoilers: Strategy[] = plans.flatMap((plan) =>
  [0, 0.5, 0.95].map((patience) => spoiler({ ...plan, patience })),
)
