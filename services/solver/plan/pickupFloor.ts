import type { SeenIntent } from './snapshot.ts'

/** Hundredths of the best bid by which the floor falls over the second window. */
const DROP_DIVISOR = 100n

/**
 * The minimum for picking an intent up in its second window, in base units of tokenB: the best bid, less
 * up to a hundredth of it as the window passes, and never below what the sender expects. It never rises.
 *
 * @param elapsed seconds of the window that have passed
 */
export function pickupFloor(
  { amountB, expectedAmountB }: Pick<SeenIntent, 'amountB' | 'expectedAmountB'>,
  elapsed: number,
  pickupWindow: number,
): bigint {
  const floor = amountB - (amountB * BigInt(elapsed)) / (DROP_DIVISOR * BigInt(pickupWindow))
  return floor > expectedAmountB ? floor : expectedAmountB
}
