import { upperMedian } from './medians.ts'
import type { Simulation } from './simulateCall.ts'

/** Gas that a call may get at most. */
type GasBounds = {
  /** Of a block. */
  blockGas: bigint
  /** That the account's balance covers. */
  payable: bigint
}

type Reverted = Extract<Simulation, { outcome: 'reverts' }>

/**
 * What a call would do, by what each provider says. It reverts only if more say so than say that it succeeds: one of
 * two stops nothing. A provider that can't tell doesn't count, unless none can.
 *
 * @param simulations at least one
 */
export function agreedSimulation(
  simulations: readonly Simulation[],
  bounds: GasBounds,
): Simulation {
  const reverts = simulations.filter((one) => one.outcome === 'reverts')
  const gases = simulations.flatMap((one) => (one.outcome === 'succeeds' ? [one.gas] : []))
  if (reverts.length > gases.length) return mostFrequent(reverts)
  if (gases.length > 0) return { outcome: 'succeeds', gas: agreedGas(gases, bounds) }
  return simulations[0] as Simulation
}

/** Gas within this multiple of what most estimate is a matter of opinion; more is a lie. */
const REASON = 2n

/**
 * The highest estimate within reason: too little fails in its block and is paid for, what isn't needed comes back. Of
 * two that contradict each other the higher, unless the balance doesn't cover it: then nothing would be sent.
 */
function agreedGas(estimates: readonly bigint[], { blockGas, payable }: GasBounds): bigint {
  const most = REASON * upperMedian(estimates)
  const reasonable = estimates.filter((gas) => gas <= most)
  const affordable = reasonable.filter((gas) => gas <= payable)
  const gas = highest(affordable.length > 0 ? affordable : reasonable)
  // No block takes more than it holds, however near to that the estimate came.
  return gas < blockGas ? gas : blockGas
}

function highest(estimates: readonly bigint[]): bigint {
  return estimates.reduce((most, gas) => (gas > most ? gas : most), 0n)
}

/** Of errors that are named equally often the first. */
function mostFrequent(reverts: readonly Reverted[]): Reverted {
  const byDetail = Map.groupBy(reverts, ({ detail }) => detail)
  const groups = [...byDetail.values()].sort((one, other) => other.length - one.length)
  return groups[0]?.[0] as Reverted
}
