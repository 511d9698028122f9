import type { DevnetRole } from '../../devnet/devnetOptions.ts'
import { drawFor } from '../../devnet/traffic/seededRandom.ts'

/** What may be killed: each of the programs, and one of the indexer's Ponder processes. */
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

/** Shuffled rounds: every victim is killed once before any is killed again. */
export function drawVictims(seed: number, count: number, only?: Victim): Victim[] {
  const victims = only === undefined ? VICTIMS : [only]
  const order: Victim[] = []
  for (let round = 0; order.length < count; round++) {
    const draw = drawFor(seed, 'victims', round)
    const weights = new Map(victims.map((victim) => [victim, draw.fraction()]))
    order.push(...victims.toSorted((a, b) => (weights.get(a) ?? 0) - (weights.get(b) ?? 0)))
  }
  return order.slice(0, count)
}
