import {
  type Action,
  type Auction,
  endTimeOf,
  firmAtOf,
  pickupFloor,
  refundableAt,
} from './auctionRules.ts'
import type { Market, Scenario } from './marketScenario.ts'
import { amountA, feeBps, reward } from './marketScenario.ts'

/** An action on the contract, or the delivery, which happens off the source chain. */
export type Step = Action | { kind: 'deliver'; by: number }

/** What every player can see. */
export type View = {
  scenario: Scenario
  market: Market
  auction: Readonly<Auction>
  /** Time of the block being built. */
  time: number
  /** Last block before the auction's end. */
  lastBlock: number
  /** Where solvers bid their own price: two blocks earlier. */
  finalBlock: number
  /** Time of the deposit; -1 before. */
  depositedAt: number
  delivered: boolean
  /** Whether the recipients were revealed to the winner off chain. */
  revealed: boolean
}

/** A participant that reads the chain and sends calls at any time. */
export type Player = {
  /** When it next reads the chain, in seconds since creation. */
  wake: number
  /** What it sends into this block; `pending` are the others' calls. May move `wake`. */
  look(view: View, pending: readonly Step[]): Step[]
}

/** A solver's margin above cost, as a share. */
export const margin = 0.001
/** Seconds from the deposit to a solver's delivery. */
const deliveryDelay = 60
/** Share of its transactions that miss the intended block. */
const late = 0.02

/** The most `account` can deliver without a loss, times `share`. */
export function worth(view: View, account: number, share = 1): number {
  const payout = amountA + reward - (amountA * feeBps) / 10_000
  const cost = view.market.costs[account] ?? 0
  return Math.floor(payout * view.market.rateAt(view.time) * (1 - cost) * share)
}

/**
 * A solver that behaves as documented.
 *
 * @param share its own price, as a share of the intent's worth to it
 */
export function honestSolver(account: number, market: Market, share = 1 - margin): Player {
  const random = market.stream(100 + account)
  const player: Player = {
    wake: 0,
    look(view) {
      if (view.time < view.finalBlock && random.next() < late) {
        player.wake = view.time + 1
        return []
      }
      const { auction } = view
      if (auction.phase === 'deposited') return carryOut(player, account, view)
      const price = worth(view, account, share)
      if (view.time >= endTimeOf(auction)) return pickUp(player, account, view, price)
      return bid(player, account, view, price, random.next())
    },
  }
  return player
}

/** Bids the floor once after `firmAt`, as a safeguard, and its own price later. */
function bid(player: Player, account: number, view: View, price: number, chance: number): Step[] {
  const { auction, time, finalBlock } = view
  const firmAt = firmAtOf(auction)
  if (time < firmAt) {
    player.wake = firmAt + (chance * (finalBlock - firmAt)) / 2
    return []
  }
  player.wake = time < finalBlock ? finalBlock : endTimeOf(auction)
  if (auction.feeBps === 0) return []
  if (price < auction.expectedAmountB) return []
  if (time < finalBlock) {
    return auction.solver === -1
      ? [{ kind: 'bid', by: account, amountB: auction.expectedAmountB }]
      : []
  }
  return price > auction.amountB ? [{ kind: 'bid', by: account, amountB: price }] : []
}

/** Deposits its own wins at once, and takes over others' once they are worth its price. */
export function pickUp(player: Player, account: number, view: View, price: number): Step[] {
  const { auction, time } = view
  const end = endTimeOf(auction)
  if (auction.phase !== 'open' || auction.solver === -1) {
    player.wake = Number.POSITIVE_INFINITY
    return []
  }
  player.wake = time + 1
  if (auction.solver === account)
    return [{ kind: 'deposit', by: account, amountB: auction.amountB }]
  if (time < end + auction.windows.pickup) {
    player.wake = end + auction.windows.pickup
    return []
  }
  if (time >= end + 2 * auction.windows.pickup) {
    player.wake = Number.POSITIVE_INFINITY
    return []
  }
  const floor = pickupFloor(auction, time)
  return floor <= price ? [{ kind: 'deposit', by: account, amountB: floor }] : []
}

/** The winner: delivers to the revealed recipients, or requests them on chain. */
function carryOut(player: Player, account: number, view: View): Step[] {
  const { auction, time, depositedAt } = view
  if (auction.solver !== account || view.delivered) {
    player.wake = Number.POSITIVE_INFINITY
    return []
  }
  if (time < depositedAt + deliveryDelay) {
    player.wake = depositedAt + deliveryDelay
    return []
  }
  if (view.revealed || auction.revealed) {
    player.wake = Number.POSITIVE_INFINITY
    return time < auction.fillDeadline ? [{ kind: 'deliver', by: account }] : []
  }
  const quarter = auction.windows.execution / 4
  if (time < depositedAt + quarter) {
    player.wake = depositedAt + quarter
    return []
  }
  player.wake = auction.asked ? depositedAt + 3 * quarter : time + deliveryDelay
  if (time >= depositedAt + 3 * quarter) player.wake = Number.POSITIVE_INFINITY
  return auction.asked || time >= depositedAt + 2 * quarter ? [] : [{ kind: 'ask', by: account }]
}

/** The relayer's behaviour. */
export type RelayerPolicy = {
  /** When it anchors, in seconds since creation. */
  anchorAt: number
  /** Whether it answers a winner's request on chain. */
  reveals: boolean
  /** Whether it reveals the recipients to that winner. */
  tells(account: number): boolean
}

export const honestRelayer: RelayerPolicy = { anchorAt: 2, reveals: true, tells: () => true }

/** Seconds from a delivery to its attestation: the destination's confirmations. */
const attestationDelay = 120
const revealDelay = 60

/** The relayer, which sends the calls that anyone may send: anchor, reveal, settlement, refunds. */
export function relayer(policy: RelayerPolicy): Player {
  const player: Player = {
    wake: policy.anchorAt,
    look(view) {
      const { auction, time } = view
      if (auction.phase === 'open') return conclude(player, policy, view)
      if (view.delivered) {
        player.wake = time + attestationDelay
        return time < view.depositedAt ? [] : settleOnce(player, view)
      }
      if (auction.asked && !auction.revealed && policy.reveals) {
        player.wake = auction.fillDeadline
        return [{ kind: 'reveal' }]
      }
      player.wake = Math.min(time + revealDelay, auction.fillDeadline + attestationDelay)
      if (time < auction.fillDeadline + attestationDelay) return []
      return [{ kind: 'refundUndelivered' }]
    },
  }
  return player
}

function settleOnce(player: Player, view: View): Step[] {
  player.wake = view.time + attestationDelay
  return [{ kind: 'settle' }]
}

function conclude(player: Player, policy: RelayerPolicy, view: View): Step[] {
  const { auction, time } = view
  if (auction.feeBps === 0 && time >= policy.anchorAt && time < firmAtOf(auction)) {
    player.wake = endTimeOf(auction)
    return [{ kind: 'anchor', feeBps }]
  }
  const due = refundableAt(auction)
  player.wake = due
  if (time < due) return []
  player.wake = time + 1
  return [{ kind: 'refund' }]
}
