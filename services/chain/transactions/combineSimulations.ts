import { findMostFrequent, findUpperMedian } from './medianAndMajority.ts'
import type { Simulation } from './simulateCall.ts'

/** Limits on a call's gas: the block's, and what the account's balance covers. */
type GasBounds = { blockGas: bigint; payable: bigint }

/**
 * What a call would do according to all providers. It reverts only if more report a revert than a success, so one of two
 * can't stop it. An `unknown` counts only if nobody reports anything else.
 *
 * @param simulations at least one
 */
export function combineSimulations(
  simulations: readonly Simulation[],
  bounds: GasBounds,
): Simulation {
  const reverts = simulations.filter((one) => one.outcome === 'reverts')
  const gases = simulations.flatMap((one) => (one.outcome === 'succeeds' ? [one.gas] : []))
  if (reverts.length > gases.length)
    return findMostFrequent(reverts, ({ detail }) => detail) as Simulation
  if (gases.length > 0) return { outcome: 'succeeds', gas: agreedGas(gases, bounds) }
  return simulations[0] as Simulation
}

/** An estimate above this multiple of the median is a lie. */
const TOLERANCE = 2n

/**
 * The highest tolerable estimate: too little gas fails and is paid for, unused gas is refunded. Estimates that the balance
 * doesn't cover are ignored if there are others, since nothing would be sent.
 */
function agreedGas(estimates: readonly bigint[], { blockGas, payable }: GasBounds): bigint {
  const most = TOLERANCE * findUpperMedian(estimates)
  const tolerable = estimates.filter((gas) => gas <= most)
  const affordable = tolerable.filter((gas) => gas <= payable)
  const gas = highest(affordable.length > 0 ? affordable : tolerable)
  return gas < blockGas ? gas : blockGas
}

function highest(estimates: readonly bigint[]): bigint {
  return estimates.reduce((most, gas) => (gas > most ? gas : most), 0n)
}
