import { bondOf } from '../../../src/money/bondOf.ts'
import { bidCeiling, worthOf } from '../policy/bidCeiling.ts'
import type { Policy } from '../policy/policy.ts'
import type { Action, PassReason } from './action.ts'
import { approvalsFor, type Taking } from './approvalsFor.ts'
import { type Budget, openBudget } from './budget.ts'
import { type Commitment, commitmentOf, isAbout, sameAddress } from './commitmentOf.ts'
import { nextActions } from './nextActions.ts'
import { pickupFloor } from './pickupFloor.ts'
import type { SeenChain, SeenIntent, Snapshot } from './snapshot.ts'
import { upkeepFor } from './upkeepFor.ts'

/** A round's decisions. */
type Plan = {
  actions: Action[]
  /** Open intents that are left alone, with the reason. */
  passes: { intent: SeenIntent; reason: PassReason }[]
}

/**
 * What to do now, judged by the chains alone: first our obligations (deposits, deliveries, settlements),
 * then new bids, those that end soonest first, within stakes, tokens in hand and the policy's limits, then
 * what keeps us able to bid. Pure: the same snapshot and policy give the same plan.
 *
 * @param takesNew false: only our obligations
 */
export function planRound(snapshot: Snapshot, policy: Policy, takesNew = true): Plan {
  const budget = openBudget(snapshot, policy)
  const plan: Plan = { actions: [], passes: [] }
  const takings: Taking[] = []
  const commit = (commitment: Commitment) => {
    budget.bind(commitment)
    const { destChainId: chainId, tokenB: token } = commitment.intent
    takings.push({ chainId, token, amount: commitment.amountInHand })
  }
  for (const intent of snapshot.intents) {
    const commitment = commitmentOf(intent, snapshot)
    if (commitment) commit(commitment)
    plan.actions.push(...nextActions(intent, snapshot, policy))
  }
  const chances = (takesNew && snapshot.isWhole ? snapshot.intents : [])
    .filter((intent) => isChance(intent, snapshot))
    .sort((a, b) => a.endTime - b.endTime || Number(a.intentId - b.intentId))
  for (const intent of chances) {
    const move = moveFor(intent, snapshot, policy, budget)
    if (typeof move === 'string') plan.passes.push({ intent, reason: move })
    else if (move !== null) {
      plan.actions.push(move.action)
      commit(move.commitment)
    }
  }
  const upkeep = upkeepFor(snapshot, policy, budget, takesNew)
  plan.actions.push(...upkeep.actions)
  plan.actions.unshift(...approvalsFor([...takings, ...upkeep.takings], snapshot))
  return plan
}

/** An open intent that takes bids or that we may pick up, without a pending transaction of ours. */
function isChance(intent: SeenIntent, { solver, chains, underWay }: Snapshot): boolean {
  const source = chains.get(intent.sourceChainId)
  if (intent.phase !== 'open' || !source || !chains.has(intent.destChainId)) return false
  if (underWay.some((transaction) => isAbout(transaction, intent))) return false
  if (source.time < intent.endTime) return true
  const openToAll = intent.endTime + source.pickupWindow
  // A deposit that is sent in the window's last second is mined after it.
  const isOpenToAll = source.time >= openToAll && source.time + 1 < openToAll + source.pickupWindow
  return intent.solver !== null && !sameAddress(intent.solver, solver) && isOpenToAll
}

type Move = { action: Action; commitment: Commitment }

/** Null: nothing to do, and no reason against it. */
function moveFor(
  intent: SeenIntent,
  { solver, chains }: Snapshot,
  policy: Policy,
  budget: Budget,
): Move | PassReason | null {
  const source = chains.get(intent.sourceChainId)
  if (!source || intent.feeBps === 0) return 'not_anchored'
  const ceiling = bidCeiling(intent, policy)
  if (ceiling === null) return 'pair_not_served'
  const isRunning = source.time < intent.endTime
  const offer = isRunning
    ? bidFor(intent, source, ceiling, policy, sameAddress(intent.solver, solver))
    : takeoverFor(intent, source, ceiling, policy)
  if (typeof offer !== 'bigint') return offer
  // The whole offer, also where it raises our own bid.
  const value = worthOf(policy, intent.destChainId, intent.tokenB, offer)
  if (value === null || (policy.intentLimit !== null && value > policy.intentLimit))
    return 'exposure'
  const commitment = newCommitment(intent, offer, sameAddress(intent.solver, solver))
  const refusal = budget.refusalOf(commitment)
  if (refusal) return refusal
  return { action: { do: isRunning ? 'bid' : 'deposit', intent, amountB: offer }, commitment }
}

/**
 * Once at the floor as a safeguard, as soon as the recipients are firm and nobody else has bid; once more,
 * at our own price, when so few blocks are left that nobody can answer. Small steps would cost the sender,
 * and inform rivals.
 */
function bidFor(
  intent: SeenIntent,
  { time, blockSeconds }: SeenChain,
  ceiling: bigint,
  { finalBlocks }: Policy,
  isOurs: boolean,
): bigint | PassReason | null {
  if (time + blockSeconds >= intent.endTime) return isOurs ? null : 'too_late'
  const least = intent.solver === null ? intent.expectedAmountB : intent.amountB + 1n
  if (least > ceiling) return isOurs ? null : 'not_worth_it'
  // A bid names only the intent's id, which another intent may have after a reorg.
  if (!intent.isDeep) return 'not_deep'
  if (time < intent.firmAt) return 'too_early'
  const isFinal = time + (finalBlocks + 1) * blockSeconds >= intent.endTime
  if (isFinal) return ceiling
  if (isOurs) return null
  return intent.solver === null ? intent.expectedAmountB : 'too_early'
}

/** What others left in the first window gets cheaper in the second. */
function takeoverFor(
  intent: SeenIntent,
  { time, pickupWindow }: SeenChain,
  ceiling: bigint,
  { rescue }: Policy,
): bigint | PassReason {
  const floor = pickupFloor(intent, time - intent.endTime - pickupWindow, pickupWindow)
  return rescue && floor <= ceiling ? floor : 'not_worth_it'
}

/** @param isOurs whether we lead: then its lock exists, and our earlier bid is committed already */
function newCommitment(intent: SeenIntent, amountB: bigint, isOurs: boolean): Commitment {
  const bond = isOurs ? 0n : bondOf(intent)
  const more = isOurs ? amountB - intent.amountB : amountB
  return {
    intent,
    stakeInHand: bond,
    amountInHand: more,
    lockAtStake: bond,
    amountAtStake: more,
  }
}
