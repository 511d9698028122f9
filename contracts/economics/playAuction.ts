import {
  type Action,
  type Auction,
  apply,
  calculateBond,
  createAuction,
  endTimeOf,
  type Refusal,
  type Windows,
} from './auctionRules.ts'
import {
  amountA,
  market as fairPrice,
  type Market,
  reward,
  type Scenario,
} from './marketScenario.ts'
import { type Player, type RelayerPolicy, relayer, type Step, type View } from './players.ts'

/** Production's windows for a chain with this block time. */
export function windowsOf(blockSeconds: number): Windows {
  return { firm: blockSeconds === 2 ? 30 : 60, pickup: 60, execution: 3_600, grace: 259_200 }
}

/** Every auction's length in seconds. */
export const duration = 120
/** Everybody's stake, in bonds. */
const bondsStaked = 3

/** A transaction's cost in base units; a reverted one costs half. */
const gasOf: Record<2 | 12, Record<Step['kind'], number>> = {
  2: {
    anchor: 4_000,
    bid: 2_000,
    deposit: 2_000,
    ask: 1_500,
    reveal: 6_000,
    settle: 5_000,
    refundUndelivered: 4_000,
    cancel: 2_000,
    refund: 2_500,
    deliver: 4_000,
  },
  12: {
    anchor: 120_000,
    bid: 60_000,
    deposit: 50_000,
    ask: 40_000,
    reveal: 160_000,
    settle: 120_000,
    refundUndelivered: 100_000,
    cancel: 50_000,
    refund: 60_000,
    deliver: 120_000,
  },
}

/** A transaction of an auction and its result. */
export type Logged = { time: number; step: Step; refusal: Refusal | undefined }

/** The outcome of an auction. */
export type Outcome = {
  auction: Auction
  log: Logged[]
  /** What the winner delivered; 0 if it didn't. */
  delivered: number
  /** Seconds from creation to the intent's end. */
  lasted: number
  /** Each account's gain in base units of tokenB at the price of the creation. */
  profits: number[]
  /** Gas paid by relayer and sender. */
  serviceGas: number
}

/** The players: solvers by account, the adversary behind them, and the relayer's policy. */
export type Cast = {
  solvers: Player[]
  /** Acts last in every block, sees pending calls and may go first or last. */
  adversary?: Player & { first?: boolean }
  relayer: RelayerPolicy
}

/** Plays one auction from creation to end. */
export function playAuction(scenario: Scenario, market: Market, cast: Cast): Outcome {
  const stage = openStage(scenario, market)
  const { auction, view } = stage
  const keeper = relayer(cast.relayer)
  const order = market.stream(4)
  while (isOpen(auction)) {
    const players = cast.adversary ? [...cast.solvers, cast.adversary] : cast.solvers
    let wake = keeper.wake
    for (const player of players) if (player.wake < wake) wake = player.wake
    view.time = market.blockFrom(Math.max(wake, view.time + 1))
    if (!Number.isFinite(view.time)) throw new Error('nobody ends this auction')
    const pending = gather(cast, keeper, view, order.next())
    for (const step of pending) perform(stage, step, cast)
  }
  return conclude(stage)
}

type Stage = {
  auction: Auction
  view: View
  log: Logged[]
  gas: number[]
  serviceGas: number
}

function openStage(scenario: Scenario, market: Market): Stage {
  const windows = windowsOf(scenario.blockSeconds)
  const expectedAmountB = Math.max(1, Math.floor(fairPrice * scenario.floorShare))
  const bond = Math.floor((amountA + reward) / 20)
  const stakes = market.costs.map(() => bondsStaked * bond)
  const terms = { windows, amountA, reward, expectedAmountB, duration }
  const auction = createAuction(terms, 0, stakes)
  const lastBlock = duration - scenario.blockSeconds
  const view: View = {
    scenario,
    market,
    auction,
    time: 0,
    lastBlock,
    finalBlock: lastBlock - 2 * scenario.blockSeconds,
    depositedAt: -1,
    delivered: false,
    revealed: false,
  }
  const gas = market.costs.map(() => 0)
  return { auction, view, log: [], gas, serviceGas: 0 }
}

function isOpen({ phase }: Auction): boolean {
  return phase === 'open' || phase === 'deposited'
}

/** The transactions of this block, in order. */
function gather(cast: Cast, keeper: Player, view: View, chance: number): Step[] {
  const steps: Step[] = []
  const turn = Math.floor(chance * cast.solvers.length)
  for (let i = 0; i < cast.solvers.length; i += 1) {
    const player = cast.solvers[(i + turn) % cast.solvers.length] as Player
    if (player.wake <= view.time) steps.push(...player.look(view, steps))
  }
  if (keeper.wake <= view.time) steps.push(...keeper.look(view, steps))
  const { adversary } = cast
  if (adversary === undefined || adversary.wake > view.time) return steps
  const own = adversary.look(view, steps)
  return adversary.first ? [...own, ...steps] : [...steps, ...own]
}

function perform(stage: Stage, step: Step, cast: Cast): void {
  const { auction, view, log } = stage
  const cost = gasOf[view.scenario.blockSeconds][step.kind]
  const refusal =
    step.kind === 'deliver' ? deliver(stage, step.by) : apply(auction, step, view.time)
  charge(stage, step, refusal === undefined ? cost : cost / 2)
  log.push({ time: view.time, step, refusal })
  if (step.kind !== 'deposit' || refusal !== undefined) return
  view.depositedAt = view.time
  view.revealed = cast.relayer.tells(auction.solver)
  for (const player of cast.solvers) if (player.wake > view.time) player.wake = view.time + 1
  if (cast.adversary) cast.adversary.wake = view.time + 1
}

/** On the destination chain: only the committed amount counts, once and in time. */
function deliver({ auction, view }: Stage, by: number): Refusal | undefined {
  if (auction.solver !== by || view.delivered || view.time >= auction.fillDeadline)
    return 'NotValid'
  view.delivered = true
}

function charge(stage: Stage, step: Step | Action, cost: number): void {
  if ('by' in step) stage.gas[step.by] = (stage.gas[step.by] ?? 0) + cost
  else stage.serviceGas += cost
}

function conclude(stage: Stage): Outcome {
  const { auction, view, log, gas, serviceGas } = stage
  const delivery = log.find(({ step, refusal }) => step.kind === 'deliver' && refusal === undefined)
  const delivered = delivery === undefined ? 0 : auction.amountB
  const staked = bondsStaked * calculateBond(auction)
  const profits = auction.stakes.map(({ total }, account) => {
    const forfeited = (staked - total) * view.market.rateAt(endTimeOf(auction))
    const won = delivery !== undefined && auction.solver === account
    const cost = view.market.costs[account] ?? 0
    const payout = won ? auction.payout * view.market.rateAt(delivery.time) * (1 - cost) : 0
    return payout - (won ? delivered : 0) - forfeited - (gas[account] ?? 0)
  })
  return { auction, log, delivered, lasted: view.time, profits, serviceGas }
}
