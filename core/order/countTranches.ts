/** GraphQL's largest integer. The times of an order have 32 bits, and its tranches are 3 seconds or more apart. */
const MOST = 2 ** 31 - 1

/** Number of tranches that an order can have. The end time may come before the last one. */
export function countTranches(totalAmount: bigint, amountPerPeriod: bigint): number {
  const whole = totalAmount / amountPerPeriod
  return whole < 1n ? 1 : Math.min(Number(whole), MOST)
}
