import { acceptedGains } from './acceptedGains.ts'
import type { Cell } from './simulateAdversary.ts'

/** A gain counts as one if it is this many standard errors above nothing: one in 30,000 by chance. */
const certainty = 4
/** Rounding, as a share of the market. */
const negligible = 1e-6

/** What is wrong with a cell, undefined if nothing is. */
export function findUnacceptedGain(cell: Cell): string | undefined {
  const certain = cell.profit - certainty * cell.error
  const most = acceptedGains.get(cell.family)?.most ?? 0
  if (certain <= most + negligible) return undefined
  const by = inHundredths(cell.profit)
  const limit = most === 0 ? 'and is not among what remains' : `above ${inHundredths(most)}`
  return `${labelOf(cell)}: ends up richer by ${by}, ${limit}; it plays "${cell.strategy}"`
}

function labelOf({ family, scenario }: Cell): string {
  const { blockSeconds, honest } = scenario
  return `${family}, ${blockSeconds} s blocks, ${floorOf(scenario.floorShare)} floor, ${honest} honest`
}

export function floorOf(share: number): string {
  return share === 0 ? '1 unit' : `${(share * 100).toFixed(1)} %`
}

/** In hundredths of a percent. */
export function inHundredths(share: number): string {
  const text = (share * 10_000).toFixed(1)
  return text === '-0.0' ? '0.0' : text
}
