import type { Delivery, KnownIntent, SourceFacts } from '../../src/intent/intentFacts.ts'

/**
 * Whether a delivery fulfils the winner's obligation: by the winner, on the destination chain, with the intent's exact
 * terms, in tokenB, at no less than the winning amount, before fillDeadline.
 *
 * No event shows whom it paid: the attestation behind `IntentSettled` vouches for that.
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

/** Whether the winner delivered anything, even wrongly, for this intent on its destination chain. */
export function isByWinner(source: SourceFacts, delivery: Delivery): boolean {
  return (
    delivery.sourceChainId === source.sourceChainId &&
    delivery.intentId === source.intentId &&
    delivery.destChainId === source.destChainId &&
    delivery.solver === source.solver
  )
}

/**
 * The winner's delivery that counts: the settled one; before settlement the first valid one, or else the first. A
 * winner can deliver again, to others, any number of times.
 */
export function findWinnersDelivery({ source, deliveries }: KnownIntent): Delivery | null {
  const own = deliveries.filter((delivery) => isByWinner(source, delivery))
  const valid = () => own.find((delivery) => isValidDelivery(source, delivery))
  return own.find(createNameCheck(source)) ?? valid() ?? own[0] ?? null
}

/** The intent's valid delivery, or null. */
export function findValidDelivery(facts: KnownIntent): Delivery | null {
  const delivery = findWinnersDelivery(facts)
  return delivery && isValidDelivery(facts.source, delivery) ? delivery : null
}

/** The delivery that the settlement names; null before the settlement, or while the delivery isn't indexed. */
export function findSettledDelivery({ source, deliveries }: KnownIntent): Delivery | null {
  return deliveries.find(createNameCheck(source)) ?? null
}

function createNameCheck(source: SourceFacts): (delivery: Delivery) => boolean {
  return ({ destChainId, chain2IntentId }) =>
    destChainId === source.destChainId && chain2IntentId === source.chain2IntentId
}
