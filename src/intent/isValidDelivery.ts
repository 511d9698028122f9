import type { Delivery, KnownIntent, SourceFacts } from './facts.ts'

/**
 * Whether a delivery is the one that the intent's winner owes: by the winner, on the intent's
 * destination chain, in tokenB, at no less than the winning amount, before fillDeadline.
 *
 * Whom it paid is in no event. That is what the attestation behind `IntentSettled` vouches for.
 */
export function isValidDelivery(source: SourceFacts, delivery: Delivery): boolean {
  return (
    isByWinner(source, delivery) &&
    source.winningAmountB !== null &&
    source.fillDeadline !== null &&
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

/** The intent's valid delivery, or null. The contract lets a solver deliver once, so there is at most one. */
export function validDeliveryOf({ source, deliveries }: KnownIntent): Delivery | null {
  return deliveries.find((delivery) => isValidDelivery(source, delivery)) ?? null
}
