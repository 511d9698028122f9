import type { Delivery, KnownIntent, SourceFacts } from './facts.ts'

/**
 * Whether a delivery is one that the intent's winner owes: by the winner, on the intent's
 * destination chain, for its very terms, in tokenB, at no less than the winning amount, before
 * fillDeadline.
 *
 * Whom it paid is in no event. That is what the attestation behind `IntentSettled` vouches for.
 */
export function isValidDelivery(source: SourceFacts, delivery: Delivery): boolean {
  return (
    isByWinner(source, delivery) &&
    source.winningAmountB !== null &&
    source.fillDeadline !== null &&
    delivery.paramsHash === source.paramsHash &&
    delivery.tokenB === source.tokenB &&
    delivery.amountB >= source.winningAmountB &&
    delivery.solvedAt < source.fillDeadline
  )
}

/** Whether the winner delivered something, however wrong, for this intent on its destination chain. */
export function isByWinner(source: SourceFacts, delivery: Delivery): boolean {
  return (
    delivery.sourceChainId === source.sourceChainId &&
    delivery.intentId === source.intentId &&
    delivery.destChainId === source.destChainId &&
    delivery.solver === source.solver
  )
}

/**
 * The intent's valid delivery, or null: the one that the settlement names, before that the first.
 * A winner can deliver again to others, and only a settlement says which delivery counts.
 */
export function validDeliveryOf({ source, deliveries }: KnownIntent): Delivery | null {
  const valid = deliveries.filter((delivery) => isValidDelivery(source, delivery))
  return valid.find(isNamedBy(source)) ?? valid[0] ?? null
}

/** The delivery that the settlement names, or null while there is none or it isn't indexed yet. */
export function settledDeliveryOf({ source, deliveries }: KnownIntent): Delivery | null {
  return deliveries.find(isNamedBy(source)) ?? null
}

function isNamedBy(source: SourceFacts): (delivery: Delivery) => boolean {
  return ({ destChainId, chain2IntentId }) =>
    destChainId === source.destChainId && chain2IntentId === source.chain2IntentId
}
