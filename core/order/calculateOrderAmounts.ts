import type { OrderFacts } from '../../src/order/orderFacts.ts'

/** Where an order's tokens are, in base units. The three add up to what was funded, at all times. */
type OrderAmounts = {
  /** In tranches that are under way or were paid out. */
  spent: bigint
  /** Back with the owner: from tranches that failed, and what was left when the order was closed. */
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

/** What was funded less the order's three amounts: anything but zero means that the fold is wrong. */
export function calculateImbalance(facts: OrderFacts): bigint {
  const { spent, refunded, left } = calculateOrderAmounts(facts)
  return facts.totalAmount - spent - refunded - left
}
