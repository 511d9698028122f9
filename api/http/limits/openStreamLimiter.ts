import { writerOf } from './clientAddress.ts'
import { createFairSlots } from './fairSlots.ts'

type OpenStreamLimiter = {
  /**
   * Takes a slot and returns a function that releases it, or says whose limit is reached.
   *
   * @param onEvicted must close the stream: its slot now belongs to a client with fewer
   */
  take(client: string, onEvicted: () => void): (() => void) | 'client' | 'server'
  size(): number
}

/**
 * Limits open streams per client (an IPv6 /48, as for writes) and in total. Clients above a fifth of their own
 * limit can't use the last half of the total. Once all slots are taken, the client with the most loses its newest
 * stream to one with fewer.
 */
export function createOpenStreamLimiter(limits: {
  perClient: number
  total: number
}): OpenStreamLimiter {
  const slots = createFairSlots<{ onEvicted: () => void }>(limits.total)
  const lightUse = Math.ceil(limits.perClient / 5)
  const forAll = Math.ceil(limits.total / 2)
  return {
    take: (address, onEvicted) => {
      const client = writerOf(address)
      const held = slots.heldBy(client)
      if (held >= limits.perClient) return 'client'
      if (held >= lightUse && slots.size() >= forAll) return 'server'
      const holder = { onEvicted }
      const taken = slots.take(client, holder)
      if (!taken) return 'server'
      taken.evicted?.onEvicted()
      return () => slots.release(client, holder)
    },
    size: slots.size,
  }
}
