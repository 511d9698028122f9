import type { Policy } from '../policy/policy.ts'
import type { Action } from './action.ts'
import type { SeenIntent, Snapshot } from './snapshot.ts'
import { isAbout, sameAddress } from './stakeOf.ts'

/** What we owe an intent that we lead or have won; null when nothing is due, or it is under way. */
export function dutyOf(intent: SeenIntent, snapshot: Snapshot, policy: Policy): Action | null {
  const { solver, chains, underWay } = snapshot
  if (!sameAddress(intent.solver, solver)) return null
  if (underWay.some((transaction) => isAbout(transaction, intent))) return null
  const source = chains.get(intent.sourceChainId)
  const destination = chains.get(intent.destChainId)
  if (!source || !destination) return null
  switch (intent.phase) {
    case 'open':
      return depositOf(intent, source)
    case 'deposited': {
      if (intent.delivery) return intent.delivery.isDeep ? { do: 'settle', intent } : null
      // Nobody pays for a delivery after the deadline, and one begun just before it may come after it.
      const isInTime = destination.time + policy.deliverySafetySeconds < intent.fillDeadline
      return isInTime && intent.isDeep ? { do: 'deliver', intent } : null
    }
    default:
      return null
  }
}

function depositOf(
  intent: SeenIntent,
  { time, pickupWindow }: { time: number; pickupWindow: number },
): Action | null {
  if (time < intent.endTime) return null
  const isFirstWindow = time < intent.endTime + pickupWindow
  if (!isFirstWindow) return null
  return { do: 'deposit', intent, amountB: intent.amountB }
}
