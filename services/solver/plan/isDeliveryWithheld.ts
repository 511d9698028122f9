import { calculateBond } from '../../../src/money/calculateBond.ts'
import { calculateDeliveryLoss, calculateTokenValue } from '../policy/calculateBidCeiling.ts'
import type { Policy } from '../policy/policy.ts'
import { estimateDeliveryGas } from './deliveryGas.ts'
import { sameAddress } from './sameAddress.ts'
import type { IntentSnapshot, Snapshot } from './solverSnapshot.ts'

/**
 * Whether the policy has us keep an intent that we won undelivered for now, since delivering it would lose more than the
 * bond. Gas may have become dear since the bid, or a price have collapsed.
 */
export function isDeliveryWithheld(
  intent: IntentSnapshot,
  { solver, chains }: Snapshot,
  policy: Policy,
): boolean {
  if (!policy.stopLoss || policy.isStale) return false
  if (intent.phase !== 'deposited' || intent.delivery || !sameAddress(intent.solver, solver))
    return false
  const { sourceChainId, destChainId, tokenA, recipientClass, fillDeadline } = intent
  const destination = chains.get(destChainId)
  if (!destination || destination.time >= fillDeadline) return false
  const wei = estimateDeliveryGas(recipientClass) * destination.likelyGasPrice
  const loss = calculateDeliveryLoss(intent, policy, [{ chainId: destChainId, wei }])
  const bond = calculateTokenValue(policy, sourceChainId, tokenA, calculateBond(intent))
  return loss !== null && bond !== null && loss > bond
}
