import { writerOf } from './clientAddress.ts'
import { createFairSlots } from './fairSlots.ts'

/** Places that clients hold for as long as something of theirs is open. */
type OpenStreamLimiter = {
  /**
   * Takes a place and returns what gives it back; or says whose limit is reached.
   *
   * @param onLost closes what holds the place, once it belongs to a client that holds fewer
   */
  take(client: string, onLost: () => void): (() => void) | 'client' | 'server'
  /** Places taken. */
  size(): number
}

/**
 * Counts what is open by client and in total. As for writes, an IPv6 client is its /48. Clients above a fifth
 * of their own limit can't use the last half of the total. Once all places are taken, the client with the most loses
 * its newest to one that holds fewer.
 */
export function createOpenStreamLimiter(limits: {
  perClient: number
  total: number
}): OpenStreamLimiter {
  const places = createFairSlots<{ onLost: () => void }>(limits.total)
  const lightUse = Math.ceil(limits.perClient / 5)
  const forAll = Math.ceil(limits.total / 2)
  return {
    take: (address, onLost) => {
      const client = writerOf(address)
      const held = places.heldBy(client)
      if (held >= limits.perClient) return 'client'
      if (held >= lightUse && places.size() >= forAll) return 'server'
      const holder = { onLost }
      const taken = places.take(client, holder)
      if (!taken) return 'server'
      taken.leaving?.onLost()
      return () => places.give(client, holder)
    },
    size: places.size,
  }
}
