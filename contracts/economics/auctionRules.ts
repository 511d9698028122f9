/**
 * A model of the bridge's auction in plain numbers: what the compiled contract accepts, what it refuses and why, what
 * it locks, forfeits and pays. `replayAuction.ts` checks that the two agree. Amounts are base units below 2^53, times are
 * seconds.
 */

/** The contract's windows, in seconds. */
export type Windows = {
  firm: number
  pickup: number
  execution: number
  grace: number
}

type Phase = 'open' | 'deposited' | 'settled' | 'cancelled' | 'refunded'

/** A solver's stake in the escrow's token, and the part that backs bids and deposits. */
type Stake = { total: number; locked: number }

/** One intent and the accounts around it. Account 0 is the sender; solvers follow. */
export type Auction = {
  readonly windows: Windows
  readonly amountA: number
  readonly reward: number
  readonly expectedAmountB: number
  readonly duration: number
  /** Unix seconds, or any zero that the caller likes. */
  readonly createdAt: number
  readonly stakes: Stake[]
  phase: Phase
  /** 0 until anchored. */
  feeBps: number
  /** Best bidder, then winner; -1 before the first bid. */
  solver: number
  amountB: number
  /** 0 until a solver deposits. */
  fillDeadline: number
  asked: boolean
  revealed: boolean
  /** The amount forfeited. */
  forfeited: number
  /** The amount returned to the sender. */
  refunded: number
  /** The amount paid to the winner. */
  payout: number
  /** The amount owed to the treasury. */
  fee: number
}

export type Action =
  | { kind: 'anchor'; feeBps: 250 | 700 }
  | { kind: 'bid'; by: number; amountB: number }
  | { kind: 'deposit'; by: number; amountB: number }
  | { kind: 'ask'; by: number }
  | { kind: 'reveal' }
  | { kind: 'settle' }
  | { kind: 'refundUndelivered' }
  | { kind: 'cancel' }
  | { kind: 'refund' }

/** The contract's error, by name. */
export type Refusal = string

const bondBps = 500
const bps = 10_000
/** How far the second window's floor falls: to 99 % of the best bid. */
const dropDivisor = 100

/** An intent that was just created, with solvers that have staked `stakes`. */
export function createAuction(
  terms: Pick<Auction, 'windows' | 'amountA' | 'reward' | 'expectedAmountB' | 'duration'>,
  createdAt: number,
  stakes: readonly number[],
): Auction {
  return {
    ...terms,
    createdAt,
    stakes: stakes.map((total) => ({ total, locked: 0 })),
    phase: 'open',
    feeBps: 0,
    solver: -1,
    amountB: 0,
    fillDeadline: 0,
    asked: false,
    revealed: false,
    forfeited: 0,
    refunded: 0,
    payout: 0,
    fee: 0,
  }
}

export function endTimeOf(auction: Auction): number {
  return auction.createdAt + auction.duration
}

/** From then on nothing is anchored, and an intent with a bid can't be cancelled. */
export function firmAtOf(auction: Auction): number {
  return endTimeOf(auction) - Math.min(Math.floor(auction.duration / 3), auction.windows.firm)
}

export function calculateBond(auction: Auction): number {
  return Math.floor(((auction.amountA + auction.reward) * bondBps) / bps)
}

/** The minimum for anyone but the best bidder to deposit in the second window. */
export function pickupFloor(auction: Auction, time: number): number {
  const { pickup } = auction.windows
  const elapsed = time - (endTimeOf(auction) + pickup)
  const best = auction.amountB
  const floor = best - Math.floor((best * elapsed) / (dropDivisor * pickup))
  return Math.max(floor, auction.expectedAmountB)
}

/** When anyone can refund an open or deposited intent. */
export function refundableAt(auction: Auction): number {
  if (auction.phase === 'deposited') return auction.fillDeadline + auction.windows.grace
  const end = endTimeOf(auction)
  return auction.solver === -1 ? end : end + 2 * auction.windows.pickup
}

/**
 * Applies a call as the contract does in a block of this time.
 *
 * @returns the error it reverts with; undefined if it takes effect.
 */
export function apply(auction: Auction, action: Action, time: number): Refusal | undefined {
  switch (action.kind) {
    case 'anchor':
      return anchor(auction, action.feeBps, time)
    case 'bid':
      return bid(auction, action.by, action.amountB, time)
    case 'deposit':
      return deposit(auction, action.by, action.amountB, time)
    case 'ask':
      return ask(auction, action.by, time)
    case 'reveal':
      return reveal(auction, time)
    case 'settle':
      return settle(auction)
    case 'refundUndelivered':
      return refundUndelivered(auction, time)
    case 'cancel':
      return cancel(auction, time)
    case 'refund':
      return refund(auction, time)
  }
}

function anchor(auction: Auction, feeBps: number, time: number): Refusal | undefined {
  if (auction.phase !== 'open') return 'WrongPhase'
  if (time >= firmAtOf(auction)) return 'Firm'
  if (auction.feeBps !== 0) return 'AlreadyAnchored'
  auction.feeBps = feeBps
}

function bid(auction: Auction, by: number, amountB: number, time: number): Refusal | undefined {
  if (auction.phase !== 'open') return 'WrongPhase'
  if (time >= endTimeOf(auction)) return 'AuctionOver'
  if (auction.feeBps === 0) return 'NotAnchored'
  const outbid = auction.solver
  const bond = calculateBond(auction)
  if (outbid !== by && freeOf(auction, by) < bond) return 'StakeTooLow'
  const minimum = outbid === -1 ? auction.expectedAmountB : auction.amountB + 1
  if (amountB < minimum) return 'BidTooLow'
  if (outbid !== by) {
    stakeOf(auction, by).locked += bond
    if (outbid !== -1) stakeOf(auction, outbid).locked -= bond
  }
  auction.solver = by
  auction.amountB = amountB
}

function deposit(auction: Auction, by: number, amountB: number, time: number): Refusal | undefined {
  if (auction.phase !== 'open') return 'WrongPhase'
  const best = auction.solver
  if (best === -1) return 'NoBid'
  const end = endTimeOf(auction)
  const { pickup, execution } = auction.windows
  if (time < end) return 'AuctionStillOpen'
  if (time >= end + 2 * pickup) return 'PickupOver'
  if (by !== best && time < end + pickup) return 'PickupReserved'
  if (amountB < (by === best ? auction.amountB : pickupFloor(auction, time))) return 'BidTooLow'
  if (by !== best) {
    const bond = calculateBond(auction)
    if (freeOf(auction, by) < bond) return 'StakeTooLow'
    stakeOf(auction, by).locked += bond
    forfeit(auction, best)
  }
  auction.solver = by
  auction.amountB = amountB
  auction.phase = 'deposited'
  auction.fillDeadline = time + execution
}

function ask(auction: Auction, by: number, time: number): Refusal | undefined {
  if (auction.phase !== 'deposited') return 'WrongPhase'
  if (by !== auction.solver) return 'NotWinner'
  const { execution } = auction.windows
  const since = time - depositTimeOf(auction)
  if (since < Math.floor(execution / 4) || since >= Math.floor(execution / 2)) {
    return 'OutsideWindow'
  }
  if (auction.asked) return 'AlreadyAsked'
  if (auction.revealed) return 'AlreadyRevealed'
  auction.asked = true
}

function reveal(auction: Auction, time: number): Refusal | undefined {
  if (auction.phase !== 'deposited') return 'WrongPhase'
  const since = time - depositTimeOf(auction)
  if (since < 0 || since >= Math.floor((auction.windows.execution * 3) / 4)) return 'OutsideWindow'
  if (auction.revealed) return 'AlreadyRevealed'
  auction.revealed = true
}

function settle(auction: Auction): Refusal | undefined {
  if (auction.phase !== 'deposited') return 'WrongPhase'
  auction.phase = 'settled'
  auction.fee = Math.floor((auction.amountA * auction.feeBps) / bps)
  auction.payout = auction.amountA + auction.reward - auction.fee
  stakeOf(auction, auction.solver).locked -= calculateBond(auction)
}

function refundUndelivered(auction: Auction, time: number): Refusal | undefined {
  if (auction.phase !== 'deposited') return 'WrongPhase'
  if (time < auction.fillDeadline) return 'NotRefundableYet'
  giveBack(auction)
}

function cancel(auction: Auction, time: number): Refusal | undefined {
  if (auction.phase !== 'open') return 'WrongPhase'
  if (auction.solver !== -1) {
    if (time >= firmAtOf(auction)) return 'Firm'
    stakeOf(auction, auction.solver).locked -= calculateBond(auction)
  }
  auction.phase = 'cancelled'
  auction.refunded = auction.amountA + auction.reward
}

function refund(auction: Auction, time: number): Refusal | undefined {
  if (auction.phase !== 'deposited' && auction.phase !== 'open') return 'WrongPhase'
  if (time < refundableAt(auction)) return 'NotRefundableYet'
  giveBack(auction)
}

/** A lock is forfeited unless its owner asked for the recipients and got no answer. */
function giveBack(auction: Auction): void {
  auction.phase = 'refunded'
  auction.refunded = auction.amountA + auction.reward
  if (auction.solver === -1) return
  if (auction.asked && !auction.revealed) {
    stakeOf(auction, auction.solver).locked -= calculateBond(auction)
  } else {
    forfeit(auction, auction.solver)
  }
}

function forfeit(auction: Auction, solver: number): void {
  const bond = calculateBond(auction)
  const stake = stakeOf(auction, solver)
  stake.total -= bond
  stake.locked -= bond
  auction.forfeited += bond
}

function depositTimeOf(auction: Auction): number {
  return auction.fillDeadline - auction.windows.execution
}

function freeOf(auction: Auction, account: number): number {
  const { total, locked } = stakeOf(auction, account)
  return total - locked
}

function stakeOf(auction: Auction, account: number): Stake {
  const stake = auction.stakes[account]
  if (stake === undefined) throw new Error(`there is no account ${account}`)
  return stake
}
