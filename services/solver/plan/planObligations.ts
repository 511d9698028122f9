import type { Policy } from '../policy/policy.ts'
import { pendingKinds } from './calculateReservedFunds.ts'
import { sameAddress } from './sameAddress.ts'
import type { BlockAction, IntentAction } from './solverActionTypes.ts'
import type { ChainSnapshot, IntentSnapshot, Snapshot } from './solverSnapshot.ts'

/** Our obligations for an intent that we lead or have won, and what limits a loss. */
export function planObligations(
  intent: IntentSnapshot,
  snapshot: Snapshot,
  policy: Policy,
): (IntentAction | BlockAction)[] {
  if (!sameAddress(intent.solver, snapshot.solver)) return []
  const source = snapshot.chains.get(intent.sourceChainId)
  if (!source) return []
  const pending = pendingKinds(intent, snapshot)
  // Without a deposit we certainly lose the lock, so it doesn't wait for the destination chain to answer.
  if (intent.phase === 'open') return pending.size > 0 ? [] : depositOf(intent, source)
  const destination = snapshot.chains.get(intent.destChainId)
  if (!destination || intent.phase !== 'deposited' || pending.has('deliver')) return []
  if (intent.delivery) return intent.delivery.isConfirmed ? [{ do: 'settle', intent }] : []
  const actions: (IntentAction | BlockAction)[] = pending.has('ask')
    ? []
    : askingFor(intent, source)
  // A delivery sent shortly before the deadline may be mined after it, and cost gas for nothing.
  const isInTime = destination.time + policy.deliverySafetySeconds < intent.fillDeadline
  if (isInTime && intent.isConfirmed) actions.push({ do: 'deliver', intent })
  return actions
}

/** The best bidder may deposit in both windows, as long as nobody else has. */
function depositOf(intent: IntentSnapshot, source: ChainSnapshot): (IntentAction | BlockAction)[] {
  const { endTime, amountB } = intent
  const isOpenAt = (time: number) => time >= endTime && time < endTime + 2 * source.pickupWindow
  if (isOpenAt(source.time)) return [{ do: 'deposit', intent, amountB }]
  return isOpenAt(source.clock) ? [nextBlockOf(source)] : []
}

/** Nodes refuse what is too early by the latest block, and the next one could come too late. */
function nextBlockOf({ chainId, blockNumber }: ChainSnapshot): BlockAction {
  return { do: 'block', chainId, after: blockNumber }
}

function askingFor(intent: IntentSnapshot, source: ChainSnapshot): (IntentAction | BlockAction)[] {
  if (shouldAsk(intent, source, source.time)) return [{ do: 'ask', intent }]
  return shouldAsk(intent, source, source.clock) ? [nextBlockOf(source)] : []
}

/**
 * Whether to ask for the recipients on chain: an intent that stays undelivered costs us the bond unless we asked.
 * The contract allows it in the second quarter of the execution window. Enclaves reveal only after a confirmed
 * deposit, so an unconfirmed one waits until the middle of that quarter.
 */
function shouldAsk(
  intent: IntentSnapshot,
  { executionWindow, blockSeconds }: ChainSnapshot,
  time: number,
): boolean {
  if (intent.asked || intent.revealed) return false
  const quarter = Math.floor(executionWindow / 4)
  const depositedAt = intent.fillDeadline - executionWindow
  const from = depositedAt + quarter * (intent.isConfirmed ? 1 : 1.5)
  const until = depositedAt + Math.floor(executionWindow / 2)
  return time >= from && time + blockSeconds < until
}
