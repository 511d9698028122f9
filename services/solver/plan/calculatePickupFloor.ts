import type { IntentSnapshot } from './solverSnapshot.ts'

/** The floor falls by a hundredth of the best bid over the second window. */
const DROP_DIVISOR = 100n

/**
 * The minimum for picking up an intent in its second window, in base units of tokenB: the best bid, less up to a
 * hundredth as the window passes, and at least what the sender expects. It never rises.
 *
 * @param elapsed seconds since the window opened
 */
export function calculatePickupFloor(
  { amountB, expectedAmountB }: Pick<IntentSnapshot, 'amountB' | 'expectedAmountB'>,
  elapsed: number,
  pickupWindow: number,
): bigint {
  const floor = amountB - (amountB * BigInt(elapsed)) / (DROP_DIVISOR * BigInt(pickupWindow))
  return floor > expectedAmountB ? floor : expectedAmountB
}
