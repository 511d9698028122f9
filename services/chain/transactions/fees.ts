/** What a transaction may cost for each gas, in wei (EIP-1559). */
export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }

/** What a block asks at present, in wei. */
export type Market = { baseFeePerGas: bigint; priorityFee: bigint }

/** Nodes take a replacement only at 10 % more in both fees; most want 12.5 % to be safe. */
const BUMP_NUMERATOR = 1_125n
const BUMP_DENOMINATOR = 1_000n

/** Fees of a first version: the base fee may double before it lags behind. Never above the cap. */
export function firstFees({ baseFeePerGas, priorityFee }: Market, cap: bigint): Fees {
  return capped(
    { maxFeePerGas: 2n * baseFeePerGas + priorityFee, maxPriorityFeePerGas: priorityFee },
    cap,
  )
}

/**
 * Fees of a version that replaces another: 12.5 % more than it in both, and no less than the market
 * asks. Null when the cap leaves no room for a replacement that nodes would take.
 */
export function bumpedFees(previous: Fees, market: Market, cap: bigint): Fees | null {
  const fresh = firstFees(market, cap)
  const least: Fees = {
    maxFeePerGas: raised(previous.maxFeePerGas),
    maxPriorityFeePerGas: raised(previous.maxPriorityFeePerGas),
  }
  if (least.maxFeePerGas > cap) return null
  return capped(
    {
      maxFeePerGas: larger(least.maxFeePerGas, fresh.maxFeePerGas),
      maxPriorityFeePerGas: larger(least.maxPriorityFeePerGas, fresh.maxPriorityFeePerGas),
    },
    cap,
  )
}

function raised(fee: bigint): bigint {
  return (fee * BUMP_NUMERATOR + BUMP_DENOMINATOR - 1n) / BUMP_DENOMINATOR + 1n
}

function capped({ maxFeePerGas, maxPriorityFeePerGas }: Fees, cap: bigint): Fees {
  const max = maxFeePerGas < cap ? maxFeePerGas : cap
  return {
    maxFeePerGas: max,
    maxPriorityFeePerGas: maxPriorityFeePerGas < max ? maxPriorityFeePerGas : max,
  }
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}
