import type { OrderFacts } from '../../src/order/orderFacts.ts'

/** Where an order's tokens are, in base units. The three always add up to the funded amount. */
type OrderAmounts = {
  /** In tranches that are open or were paid out. */
  spent: bigint
  /** Returned to the owner: from failed tranches, and from closing the order. */
  refunded: bigint
  /** In the vault. */
  left: bigint
}

/** Where an order's tokens are. */
export function calculateOrderAmounts(
  order: Pick<
    OrderFacts,
    'tranchesFired' | 'amountPerPeriod' | 'amountRefunded' | 'amountReturned' | 'remaining'
  >,
): OrderAmounts {
  const { tranchesFired, amountPerPeriod, amountRefunded, amountReturned, remaining } = order
  return {
    spent: BigInt(tranchesFired) * amountPerPeriod - amountRefunded,
    refunded: amountRefunded + (amountReturned ?? 0n),
    left: remaining,
  }
}

/** The funded amount minus the order's three amounts: anything but zero means that the fold is wrong. */
export function calculateImbalance(facts: OrderFacts): bigint {
  const { spent, refunded, left } = calculateOrderAmounts(facts)
  return facts.totalAmount - spent - refunded - left
}
