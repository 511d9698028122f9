/** GraphQL's largest integer. No order fires more: its times have 32 bits, and tranches are at least 3 seconds apart. */
const MAX_TRANCHES = 2 ** 31 - 1

/** Number of tranches that an order can have. The end time may come before the last one. */
export function countTranches(totalAmount: bigint, amountPerPeriod: bigint): number {
  const whole = totalAmount / amountPerPeriod
  return whole < 1n ? 1 : Math.min(Number(whole), MAX_TRANCHES)
}
