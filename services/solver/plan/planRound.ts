import { bondOf } from '../../../src/money/bondOf.ts'
import { ceilingOf, stepOf } from '../policy/ceilingOf.ts'
import type { Policy } from '../policy/policy.ts'
import type { Action, PassReason } from './action.ts'
import { approvalsFor } from './approvalsFor.ts'
import { dutyOf } from './dutyOf.ts'
import { openPurse, type Purse } from './purse.ts'
import type { SeenIntent, Snapshot } from './snapshot.ts'
import { isAbout, type Stake, sameAddress, stakeOf } from './stakeOf.ts'

/** What a round comes to. */
export type Plan = {
  actions: Action[]
  /** Open intents that are left alone, with the reason. */
  passes: { intent: SeenIntent; reason: PassReason }[]
}

/**
 * What to do now, by the chains' word alone: first what we owe (deposits, deliveries, settlements),
 * then new bids, those that end soonest first, as far as what is in hand and the policy's limits go.
 * Pure: the same snapshot and policy give the same plan.
 *
 * @param takesNew false: only what we owe
 */
export function planRound(snapshot: Snapshot, policy: Policy, takesNew = true): Plan {
  const purse = openPurse(snapshot, policy)
  const plan: Plan = { actions: [], passes: [] }
  const stakes: Stake[] = []
  const commit = (stake: Stake) => {
    purse.bind(stake)
    stakes.push(stake)
  }
  for (const intent of snapshot.intents) {
    const stake = stakeOf(intent, snapshot)
    if (stake) commit(stake)
    const duty = dutyOf(intent, snapshot, policy)
    if (duty) plan.actions.push(duty)
  }
  const chances = (takesNew && snapshot.isWhole ? snapshot.intents : [])
    .filter((intent) => isChance(intent, snapshot))
    .sort((a, b) => a.endTime - b.endTime || Number(a.intentId - b.intentId))
  for (const intent of chances) {
    const move = moveFor(intent, snapshot, policy, purse)
    if (typeof move === 'string') plan.passes.push({ intent, reason: move })
    else {
      plan.actions.push(move.action)
      commit(move.stake)
    }
  }
  plan.actions.unshift(...approvalsFor(stakes, snapshot))
  return plan
}

/** An open intent that is somebody else's so far, with nothing of ours under way. */
function isChance(intent: SeenIntent, { solver, chains, underWay }: Snapshot): boolean {
  const source = chains.get(intent.sourceChainId)
  if (intent.phase !== 'open' || !source || !chains.has(intent.destChainId)) return false
  if (underWay.some((transaction) => isAbout(transaction, intent))) return false
  const isRunning = source.time < intent.endTime
  if (isRunning) return !sameAddress(intent.solver, solver)
  const openToAll = intent.endTime + source.pickupWindow
  // A deposit that is sent in the window's last second is mined after it.
  const isOpenToAll = source.time >= openToAll && source.time + 1 < openToAll + source.pickupWindow
  return intent.solver !== null && isOpenToAll
}

type Move = { action: Action; stake: Stake }

function moveFor(
  intent: SeenIntent,
  { chains }: Snapshot,
  policy: Policy,
  purse: Purse,
): Move | PassReason {
  if (intent.feeBps === 0) return 'not_anchored'
  const ceiling = ceilingOf(intent, policy)
  if (ceiling === null) return 'pair_not_served'
  const time = chains.get(intent.sourceChainId)?.time ?? 0
  const isRunning = time < intent.endTime
  if (isRunning && time + policy.quietSeconds >= intent.endTime) return 'too_late'
  if (!isRunning && !policy.rescue) return 'not_worth_it'
  const amountB = isRunning ? nextBid(intent, ceiling, policy) : intent.expectedAmountB
  if (amountB === null || amountB > ceiling) return 'not_worth_it'
  const stake = newStake(intent, amountB)
  const refusal = purse.refusalOf(stake)
  if (refusal) return refusal
  return { action: { do: isRunning ? 'bid' : 'deposit', intent, amountB }, stake }
}

/** The least that the sender expects, or a step above the rival's bid, at most what it is worth to us. */
function nextBid(intent: SeenIntent, ceiling: bigint, policy: Policy): bigint | null {
  if (intent.solver === null) return intent.expectedAmountB
  const step = stepOf(policy, intent.expectedAmountB)
  const higher = intent.amountB + step
  const bid = higher < ceiling ? higher : ceiling
  return bid > intent.amountB ? bid : null
}

function newStake(intent: SeenIntent, amountB: bigint): Stake {
  const bond = bondOf(intent.amountA)
  return {
    intent,
    bondInHand: bond,
    amountInHand: amountB,
    bondAtStake: bond,
    amountAtStake: amountB,
  }
}
