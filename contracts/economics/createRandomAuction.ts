import {
  type Action,
  type Auction,
  apply,
  calculateBond,
  createAuction,
  endTimeOf,
  firmAtOf,
  pickupFloor,
  refundableAt,
  type Windows,
} from './auctionRules.ts'
import type { Replayed } from './replayAuction.ts'
import { createSeededRandom, type Random } from './seededRandom.ts'

/**
 * An auction of random calls, mostly at the edges of windows and amounts: the model must refuse the same calls as the
 * contract, also where no strategy goes.
 */
export function createRandomAuction(seed: number, windows: Windows): Replayed {
  const random = createSeededRandom(seed)
  const terms = {
    windows,
    amountA: random.between(20_000, 5_000_000_000),
    reward: 0,
    expectedAmountB: random.between(1, 1_000_000),
    duration: random.between(20, 400),
  }
  terms.reward = random.between(0, Math.floor(terms.amountA / 5))
  const bond = calculateBond(createAuction(terms, 0, []))
  const stakes = [bond, 2 * bond + 1, bond - 1, 3 * bond, 0]
  const auction = createAuction(terms, 0, stakes)
  const log: Replayed['log'] = []
  const act = (step: Action, time: number) => {
    apply(auction, step, time)
    log.push({ time, step })
  }
  let time = 1
  for (let i = 0; i < 24; i += 1) {
    act(anyAction(random, auction, time), time)
    time = laterTime(random, auction, time)
  }
  // End whatever is still open, so that no lock is left for the next auction.
  const last = Math.max(time, refundableAt(auction))
  act({ kind: 'refund' }, last)
  return { terms, stakes, log }
}

function anyAction(random: Random, auction: Auction, time: number): Action {
  const by = random.between(0, auction.stakes.length - 1)
  const { phase, solver } = auction
  if (auction.feeBps === 0 && random.next() < 0.6) {
    return { kind: 'anchor', feeBps: random.next() < 0.5 ? 250 : 700 }
  }
  if (phase === 'open' && random.next() < 0.7) {
    if (time < endTimeOf(auction)) return { kind: 'bid', by, amountB: bidNear(random, auction) }
    const caller = solver !== -1 && random.next() < 0.3 ? solver : by
    return { kind: 'deposit', by: caller, amountB: depositNear(random, auction, time) }
  }
  const winner = solver !== -1 && random.next() < 0.7 ? solver : by
  const any: Action[] = [
    { kind: 'bid', by, amountB: bidNear(random, auction) },
    { kind: 'deposit', by, amountB: depositNear(random, auction, time) },
    { kind: 'ask', by: winner },
    { kind: 'ask', by: winner },
    { kind: 'reveal' },
    { kind: 'refundUndelivered' },
    { kind: 'refund' },
    random.next() < 0.3 ? { kind: 'settle' } : { kind: 'ask', by: winner },
    random.next() < 0.2 ? { kind: 'cancel' } : { kind: 'reveal' },
  ]
  return any[random.between(0, any.length - 1)] as Action
}

function bidNear(random: Random, { expectedAmountB, amountB }: Auction): number {
  const near = Math.max(expectedAmountB, amountB)
  return Math.max(0, near + random.between(-1, 2) + (random.next() < 0.2 ? 1_000_000 : 0))
}

function depositNear(random: Random, auction: Auction, time: number): number {
  if (auction.solver === -1) return auction.expectedAmountB
  const floor = time < endTimeOf(auction) ? auction.amountB : pickupFloor(auction, time)
  const near = random.next() < 0.5 ? auction.amountB : floor
  return Math.max(0, near + random.between(-1, 1))
}

/** The next edge, a second before or after it, or no time at all. */
function laterTime(random: Random, auction: Auction, time: number): number {
  const { pickup, execution, grace } = auction.windows
  const end = endTimeOf(auction)
  const edges = [firmAtOf(auction), end, end + pickup, end + 1.5 * pickup, end + 2 * pickup]
  if (auction.fillDeadline > 0) {
    const deposit = auction.fillDeadline - execution
    edges.push(...[1, 2, 3, 4].map((quarters) => deposit + Math.floor((execution * quarters) / 4)))
    edges.push(auction.fillDeadline + grace)
  }
  const next = edges.find((edge) => edge > time + 1)
  if (next === undefined || random.next() < 0.55) return time + random.between(0, 2)
  return Math.max(time, Math.floor(next) + random.between(-1, 1))
}
