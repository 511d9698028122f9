import type { PriorityFees } from './priorityFees.ts'

/** What a transaction may cost for each gas, in wei (EIP-1559). */
export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }

/** What a block costs at present, in wei. */
export type Market = {
  baseFeePerGas: bigint
  /** The base fee when providers differ and blocks have passed a version over. */
  baseFeeAtMost?: bigint
  priorityFees: PriorityFees
}

/** Nodes take a replacement only at 10 % more in both fees; most want 12.5 % to be safe. */
const BUMP_NUMERATOR = 1_125n
const BUMP_DENOMINATOR = 1_000n

/** Fees of a first version: the base fee may double before it lags behind. Never above the cap. */
export function firstFees(market: Market, cap: bigint): Fees {
  return feesAt(market.baseFeePerGas, market.priorityFees.usual, cap)
}

/**
 * Fees of a version that replaces another: 12.5 % more than it in both, and no less than the market
 * asks. Null when the cap leaves no room for a replacement that nodes would take.
 */
export function bumpedFees(previous: Fees, market: Market, cap: bigint): Fees | null {
  const { baseFeePerGas, baseFeeAtMost = baseFeePerGas, priorityFees } = market
  const fresh = feesAt(baseFeeAtMost, priorityFees.passedOver, cap)
  const least: Fees = {
    maxFeePerGas: raised(previous.maxFeePerGas),
    maxPriorityFeePerGas: raised(previous.maxPriorityFeePerGas),
  }
  if (least.maxFeePerGas > cap) return null
  return capped(larger(least, fresh), cap)
}

/**
 * Fees of a version that no node took beside a transaction of its nonce that we don't know: twice as
 * much in both, so that it soon exceeds whatever that pays. Null once both have come to the cap.
 */
export function doubledFees(previous: Fees, market: Market, cap: bigint): Fees | null {
  if (previous.maxFeePerGas >= cap && previous.maxPriorityFeePerGas >= cap) return null
  const double: Fees = {
    // Plus one, since twice zero is zero.
    maxFeePerGas: 2n * previous.maxFeePerGas + 1n,
    maxPriorityFeePerGas: 2n * previous.maxPriorityFeePerGas + 1n,
  }
  return capped(larger(double, firstFees(market, cap)), cap)
}

/**
 * What a cancellation may pay for each gas, in wei: as much in all as the call whose nonce it takes
 * might have paid, which for a cancellation's little gas is many times the call's cap.
 *
 * @param callGas the call's gas limit
 */
export function cancellationCap(cap: bigint, callGas: bigint): bigint {
  return callGas <= CANCELLATION_GAS ? cap : (cap * callGas) / CANCELLATION_GAS
}

/** Gas of a transfer of nothing to oneself. */
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
