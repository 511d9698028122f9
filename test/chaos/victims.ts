import type { DevnetRole } from '../../devnet/devnetOptions.ts'
import { drawFor } from '../../devnet/traffic/seededRandom.ts'

/** Who is killed: each of our programs, and one of the Ponder processes that the indexer looks after. */
export const VICTIMS = [
  'enclave',
  'indexer',
  'ponder',
  'reactions',
  'api',
  'push',
  'solver-1',
  'solver-2',
  'orders',
] as const satisfies readonly (DevnetRole | 'ponder')[]

export type Victim = (typeof VICTIMS)[number]

/** Who is killed in which order: everybody has its turn before anybody has another. */
export function victimsFor(seed: number, count: number, only?: Victim): Victim[] {
  const victims = only === undefined ? VICTIMS : [only]
  const order: Victim[] = []
  for (let round = 0; order.length < count; round++) {
    const draw = drawFor(seed, 'victims', round)
    const weights = new Map(victims.map((victim) => [victim, draw.fraction()]))
    order.push(...victims.toSorted((a, b) => (weights.get(a) ?? 0) - (weights.get(b) ?? 0)))
  }
  return order.slice(0, count)
}
