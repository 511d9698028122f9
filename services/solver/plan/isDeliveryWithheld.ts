import { calculateBond } from '../../../src/money/calculateBond.ts'
import { calculateDeliveryLoss, calculateTokenValue } from '../policy/calculateBidCeiling.ts'
import type { Policy } from '../policy/policy.ts'
import { estimateDeliveryCost } from './deliveryGas.ts'
import type { IntentSnapshot, Snapshot } from './solverSnapshot.ts'

/**
 * Whether the policy has us withhold a delivery that is due, since it would now lose more than the bond. Gas may have
 * become dear since the bid, or a price have collapsed.
 */
export function isDeliveryWithheld(
  intent: IntentSnapshot,
  { chains }: Pick<Snapshot, 'chains'>,
  policy: Policy,
): boolean {
  const { sourceChainId, destChainId, tokenA } = intent
  const destination = chains.get(destChainId)
  if (!policy.stopLoss || policy.isStale || !destination) return false
  const loss = calculateDeliveryLoss(intent, policy, [estimateDeliveryCost(intent, destination)])
  const bond = calculateTokenValue(policy, sourceChainId, tokenA, calculateBond(intent))
  return loss !== null && bond !== null && loss > bond
}
