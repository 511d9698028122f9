import type { PriorityFees } from './priorityFees.ts'

/** EIP-1559 fees in wei per gas. */
export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }

/** Present prices in wei per gas. */
export type Market = {
  baseFeePerGas: bigint
  /** The highest base fee that a provider reports, for replacements. */
  highestBaseFee?: bigint
  priorityFees: PriorityFees
}

/** Nodes accept a replacement only if both fees are higher by 10 %, some by 12.5 %. */
const BUMP_NUMERATOR = 1_125n
const BUMP_DENOMINATOR = 1_000n

/** Fees of a first version, which allow the base fee to double. Never above the cap. */
export function calculateFirstFees(market: Market, cap: bigint): Fees {
  return feesAt(market.baseFeePerGas, market.priorityFees.standard, cap)
}

/**
 * Fees of a replacement: both 12.5 % higher, and at least the market's. Null if the cap leaves no room for a replacement
 * that nodes would accept.
 */
export function bumpFees(previous: Fees, market: Market, cap: bigint): Fees | null {
  const { baseFeePerGas, highestBaseFee = baseFeePerGas, priorityFees } = market
  const fresh = feesAt(highestBaseFee, priorityFees.replacement, cap)
  const least: Fees = {
    maxFeePerGas: raised(previous.maxFeePerGas),
    maxPriorityFeePerGas: raised(previous.maxPriorityFeePerGas),
  }
  if (least.maxFeePerGas > cap) return null
  return capped(larger(least, fresh), cap)
}

/**
 * Fees of a version that nodes refused in favour of an unknown transaction with the same nonce: both doubled, to exceed
 * that one's soon. Null once both have reached the cap, which the priority fee does last.
 */
export function doubleFees(previous: Fees, market: Market, cap: bigint): Fees | null {
  if (previous.maxPriorityFeePerGas >= cap) return null
  const double: Fees = {
    // Plus one, since twice zero is zero.
    maxFeePerGas: 2n * previous.maxFeePerGas + 1n,
    maxPriorityFeePerGas: 2n * previous.maxPriorityFeePerGas + 1n,
  }
  return capped(larger(double, calculateFirstFees(market, cap)), cap)
}

/**
 * Limit on a cancellation's gas price, in wei: in total it may cost what the call could have cost, which for a
 * cancellation's little gas is many times the call's price.
 *
 * @param callGas the call's gas limit
 * @param gas the cancellation's
 */
export function calculateCancellationCap(
  cap: bigint,
  callGas: bigint,
  gas = CANCELLATION_GAS,
): bigint {
  return callGas <= gas ? cap : (cap * callGas) / gas
}

/** Gas of an empty transfer to oneself. On some chains it is more, and nodes refuse this. */
export const CANCELLATION_GAS = 21_000n

function feesAt(baseFeePerGas: bigint, priorityFee: bigint, cap: bigint): Fees {
  return capped(
    { maxFeePerGas: 2n * baseFeePerGas + priorityFee, maxPriorityFeePerGas: priorityFee },
    cap,
  )
}

function raised(fee: bigint): bigint {
  return (fee * BUMP_NUMERATOR + BUMP_DENOMINATOR - 1n) / BUMP_DENOMINATOR + 1n
}

function capped({ maxFeePerGas, maxPriorityFeePerGas }: Fees, cap: bigint): Fees {
  const most = maxFeePerGas < cap ? maxFeePerGas : cap
  return {
    maxFeePerGas: most,
    maxPriorityFeePerGas: maxPriorityFeePerGas < most ? maxPriorityFeePerGas : most,
  }
}

function larger(one: Fees, other: Fees): Fees {
  return {
    maxFeePerGas: max(one.maxFeePerGas, other.maxFeePerGas),
    maxPriorityFeePerGas: max(one.maxPriorityFeePerGas, other.maxPriorityFeePerGas),
  }
}

function max(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}
