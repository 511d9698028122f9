import { Histogram, type Registry } from 'prom-client'
import type { FiredTranche } from '../../services/orders/follow/followVault.ts'

/** Counts how late tranches are fired, by their chain's time: blocks are what it is measured in. */
export function createLatenessMeter(registry: Registry): (fired: FiredTranche) => void {
  const lateness = new Histogram({
    name: 'cairn_orders_lateness_seconds',
    help: 'Time from when a tranche was due to its block.',
    labelNames: ['chain'] as const,
    buckets: [1, 2, 4, 8, 15, 30, 60, 300, 1_800, 7_200],
    registers: [registry],
  })
  return ({ chain, lateness: seconds }) => lateness.observe({ chain }, seconds)
}
