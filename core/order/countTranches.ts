/** Number of tranches that an order can have. The end time may come before the last one. */
export function countTranches(totalAmount: bigint, amountPerPeriod: bigint): number {
  const whole = totalAmount / amountPerPeriod
  return whole < 1n ? 1 : Number(whole)
}
