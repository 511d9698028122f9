/** How many tranches an order can have. The end time may come before the last of them. */
export function countTranches(totalAmount: bigint, amountPerPeriod: bigint): number {
  const whole = totalAmount / amountPerPeriod
  return whole < 1n ? 1 : Number(whole)
}
