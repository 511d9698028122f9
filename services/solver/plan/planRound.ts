import { calculateBond } from '../../../src/money/calculateBond.ts'
import { calculateBidCeiling, calculateTokenValue } from '../policy/calculateBidCeiling.ts'
import type { Policy } from '../policy/policy.ts'
import {
  calculateReservedFunds,
  pendingKinds,
  type ReservedFunds,
} from './calculateReservedFunds.ts'
import {
  calculateDeliveryGas,
  DEPOSIT_GAS,
  estimateDeliveryCost,
  LIKELY_SOURCE_GAS,
} from './deliveryGas.ts'
import { isDeliveryWithheld } from './isDeliveryWithheld.ts'
import { planApprovals, type Spend } from './planApprovals.ts'
import { planObligations } from './planObligations.ts'
import { planUpkeep } from './planUpkeep.ts'
import { type Budget, createBudget } from './roundBudget.ts'
import { sameAddress } from './sameAddress.ts'
import type { Action, SkipReason } from './solverActionTypes.ts'
import type { ChainSnapshot, IntentSnapshot, Snapshot } from './solverSnapshot.ts'

type Plan = {
  actions: Action[]
  /** Open intents without an action, and deliveries that we withhold, each with the reason. */
  skipped: { intent: IntentSnapshot; reason: SkipReason }[]
}

/**
 * Decides a round: first our obligations (deposits, deliveries, settlements); then new bids, the auctions that end
 * soonest first, within stakes, balances and the policy's limits; then upkeep. Pure.
 *
 * @param acceptsNew false: only obligations
 */
export function planRound(snapshot: Snapshot, policy: Policy, acceptsNew = true): Plan {
  const budget = createBudget(snapshot, policy)
  const plan: Plan = { actions: [], skipped: [] }
  const spends: Spend[] = []
  const commit = (commitment: ReservedFunds) => {
    budget.reserve(commitment)
    const { destChainId: chainId, tokenB: token } = commitment.intent
    spends.push({ chainId, token, amount: commitment.reservedAmount })
  }
  for (const intent of snapshot.intents) {
    const commitment = calculateReservedFunds(intent, snapshot)
    if (commitment) commit(commitment)
    for (const action of planObligations(intent, snapshot, policy)) {
      // We ask all the same: without recipients, we couldn't deliver later, and would lose the bond by others' silence.
      if (action.do === 'deliver' && isDeliveryWithheld(intent, snapshot, policy))
        plan.skipped.push({ intent, reason: 'loss' })
      else plan.actions.push(action)
    }
  }
  const candidates = (acceptsNew && snapshot.isWhole ? snapshot.intents : [])
    .filter((intent) => isCandidate(intent, snapshot))
    .sort((a, b) => a.endTime - b.endTime || Number(a.intentId - b.intentId))
  for (const intent of candidates) {
    const offer = offerFor(intent, snapshot, policy, budget)
    if (typeof offer === 'string') plan.skipped.push({ intent, reason: offer })
    else if (offer !== null) {
      plan.actions.push(offer.action)
      commit(offer.commitment)
    }
  }
  const upkeep = planUpkeep(snapshot, policy, budget, acceptsNew)
  plan.actions.push(...upkeep.actions)
  plan.actions.unshift(...planApprovals([...spends, ...upkeep.spends], snapshot))
  return plan
}

/** Whether an open intent takes bids, or may be picked up by anyone, and we have no pending transaction for it. */
function isCandidate(intent: IntentSnapshot, snapshot: Snapshot): boolean {
  const { solver, chains } = snapshot
  const source = chains.get(intent.sourceChainId)
  if (intent.phase !== 'open' || !source || !chains.has(intent.destChainId)) return false
  if (pendingKinds(intent, snapshot).size > 0) return false
  if (source.clock < intent.endTime) return true
  const openToAll = intent.endTime + source.pickupWindow
  // A deposit sent in the window's last second would be mined after it.
  const isOpenToAll = source.time >= openToAll && source.time + 1 < openToAll + source.pickupWindow
  return intent.solver !== null && !sameAddress(intent.solver, solver) && isOpenToAll
}

type Offer = { action: Action; commitment: ReservedFunds }

/** Null when we lead and nothing is to be done. */
function offerFor(
  intent: IntentSnapshot,
  { solver, chains }: Snapshot,
  policy: Policy,
  budget: Budget,
): Offer | SkipReason | null {
  const source = chains.get(intent.sourceChainId)
  const destination = chains.get(intent.destChainId)
  if (!source || !destination || intent.feeBps === 0) return 'not_anchored'
  const ceiling = calculateBidCeiling(intent, policy, [
    { chainId: source.chainId, wei: LIKELY_SOURCE_GAS * source.likelyGasPrice },
    estimateDeliveryCost(intent, destination),
  ])
  if (ceiling === null) return 'pair_not_served'
  const isRunning = source.clock < intent.endTime
  const amountB = isRunning
    ? bidFor(intent, source, ceiling, policy, sameAddress(intent.solver, solver))
    : takeoverFor(intent, source, ceiling, policy)
  if (typeof amountB !== 'bigint') return amountB
  if (isDeliveryDoubtful(source, destination, policy)) return 'delivery_too_late'
  if (isRunning && isCatchingUp(source, destination)) return 'clock_behind'
  // The whole amount counts, also when we raise our own bid.
  const value = calculateTokenValue(policy, intent.destChainId, intent.tokenB, amountB)
  if (value === null || (policy.intentLimit !== null && value > policy.intentLimit))
    return 'exposure'
  const commitment = newCommitment(intent, amountB, sameAddress(intent.solver, solver))
  const refusal = budget.refusalOf(commitment)
  if (refusal) return refusal
  return { action: { do: isRunning ? 'bid' : 'deposit', intent, amountB }, commitment }
}

/**
 * Whether a delivery that we bid on now may come too late and cost the bond: its deadline is set by the source's
 * clock and counts on the destination's. The deposit's confirmations take up to a quarter of the time.
 */
function isDeliveryDoubtful(
  source: ChainSnapshot,
  destination: ChainSnapshot,
  { deliverySafetySeconds }: Policy,
): boolean {
  const lastStart = source.time + source.executionWindow - deliverySafetySeconds
  return destination.isStalled || lastStart - destination.time < source.executionWindow / 4
}

/**
 * Whether the source is catching up after an outage. Rollups do so within moments, with a block for each missed timestamp: both
 * windows for our deposit could pass before we see them open, which would cost the bond.
 */
function isCatchingUp(source: ChainSnapshot, destination: ChainSnapshot): boolean {
  return destination.clock - source.clock > source.pickupWindow
}

/**
 * We bid twice: at the floor as a safeguard, once the recipients are fixed and if nobody else has bid; and at our own
 * price when too few blocks are left for an answer. Bidding in small steps would cost the sender and inform rivals.
 */
function bidFor(
  intent: IntentSnapshot,
  { clock: time, blockSeconds }: ChainSnapshot,
  ceiling: bigint,
  { finalBlocks }: Policy,
  isOurs: boolean,
): bigint | SkipReason | null {
  if (time + blockSeconds >= intent.endTime) return isOurs ? null : 'too_late'
  const least = intent.solver === null ? intent.expectedAmountB : intent.amountB + 1n
  if (least > ceiling) return isOurs ? null : 'not_worth_it'
  // A bid names only the intent's id, which a reorg may give to another intent.
  if (!intent.isConfirmed) return 'not_confirmed'
  if (time < intent.firmAt) return 'too_early'
  const isFinal = time + (finalBlocks + 1) * blockSeconds >= intent.endTime
  if (isFinal) return ceiling
  if (isOurs) return null
  return intent.solver === null ? intent.expectedAmountB : 'too_early'
}

/** An intent left in the first window gets cheaper in the second. */
function takeoverFor(
  intent: IntentSnapshot,
  { time, pickupWindow }: ChainSnapshot,
  ceiling: bigint,
  { rescue }: Policy,
): bigint | SkipReason {
  const floor = calculatePickupFloor(intent, time - intent.endTime - pickupWindow, pickupWindow)
  return rescue && floor <= ceiling ? floor : 'not_worth_it'
}

/** @param isOurs whether we lead: then the stake is locked and the earlier bid already committed */
function newCommitment(intent: IntentSnapshot, amountB: bigint, isOurs: boolean): ReservedFunds {
  const bond = isOurs ? 0n : calculateBond(intent)
  const more = isOurs ? amountB - intent.amountB : amountB
  return {
    intent,
    reservedStake: bond,
    reservedAmount: more,
    lockExposure: bond,
    amountExposure: more,
    depositGas: isOurs ? 0n : DEPOSIT_GAS,
    deliveryGas: isOurs ? 0n : calculateDeliveryGas(intent.recipientClass),
  }
}

/** The floor falls by a hundredth of the best bid over the second window. */
const DROP_DIVISOR = 100n

/**
 * The minimum for picking up an intent in its second window, in base units of tokenB: the best bid, less up to a
 * hundredth as the window passes, and at least what the sender expects. It never rises.
 *
 * @param elapsed seconds since the window opened
 */
function calculatePickupFloor(
  { amountB, expectedAmountB }: Pick<IntentSnapshot, 'amountB' | 'expectedAmountB'>,
  elapsed: number,
  pickupWindow: number,
): bigint {
  const floor = amountB - (amountB * BigInt(elapsed)) / (DROP_DIVISOR * BigInt(pickupWindow))
  return floor > expectedAmountB ? floor : expectedAmountB
}
