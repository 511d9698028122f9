import type { Policy } from '../policy/policy.ts'
import type { IntentAction } from './action.ts'
import { isAbout, sameAddress } from './commitmentOf.ts'
import type { SeenChain, SeenIntent, Snapshot, UnderWayForIntent } from './snapshot.ts'

/** Our obligations for an intent that we lead or have won, and what we do to avoid a loss. */
export function nextActions(
  intent: SeenIntent,
  snapshot: Snapshot,
  policy: Policy,
): IntentAction[] {
  const { solver, chains, underWay } = snapshot
  if (!sameAddress(intent.solver, solver)) return []
  const source = chains.get(intent.sourceChainId)
  if (!source) return []
  const pending = new Set(
    underWay.filter((one): one is UnderWayForIntent => isAbout(one, intent)).map((one) => one.kind),
  )
  // Without a deposit we lose the lock for certain, so it doesn't wait for the destination chain to answer.
  if (intent.phase === 'open') return pending.size > 0 ? [] : depositOf(intent, source)
  const destination = chains.get(intent.destChainId)
  if (!destination || intent.phase !== 'deposited' || pending.has('deliver')) return []
  if (intent.delivery) return intent.delivery.isDeep ? [{ do: 'settle', intent }] : []
  const duties: IntentAction[] = []
  if (shallAsk(intent, source) && !pending.has('ask')) duties.push({ do: 'ask', intent })
  // A delivery begun just before the deadline may come after it, and then costs gas for nothing.
  const isInTime = destination.time + policy.deliverySafetySeconds < intent.fillDeadline
  if (isInTime && intent.isDeep) duties.push({ do: 'deliver', intent })
  return duties
}

/** The best bidder may deposit what it bid for as long as nobody else has, in both windows. */
function depositOf(intent: SeenIntent, { time, pickupWindow }: SeenChain): IntentAction[] {
  const isOpen = time >= intent.endTime && time < intent.endTime + 2 * pickupWindow
  return isOpen ? [{ do: 'deposit', intent, amountB: intent.amountB }] : []
}

/**
 * Whether to ask for the recipients on chain: otherwise an undelivered intent costs us the bond.
 * Only in the second quarter. Nobody can reveal them before our deposit is deep, so we wait for half of it.
 */
function shallAsk(intent: SeenIntent, { time, executionWindow, blockSeconds }: SeenChain): boolean {
  if (intent.asked || intent.revealed) return false
  const quarter = Math.floor(executionWindow / 4)
  const depositedAt = intent.fillDeadline - executionWindow
  const from = depositedAt + quarter * (intent.isDeep ? 1 : 1.5)
  const until = depositedAt + Math.floor(executionWindow / 2)
  return time >= from && time + blockSeconds < until
}
