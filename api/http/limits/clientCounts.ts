import { writerOf } from './clientAddress.ts'

/** Places that clients hold for as long as something of theirs is open. */
type ClientCounts = {
  /** Takes a place and returns what gives it back; or says whose limit is reached. */
  take(client: string): (() => void) | 'client' | 'server'
  /** Places taken. */
  size(): number
}

/**
 * Counts open connections by client and in total. As for writes, an IPv6 client is its /48. Clients above a fifth
 * of their own limit can't use the last half of the total.
 */
export function createClientCounts(limits: { perClient: number; total: number }): ClientCounts {
  const counts = new Map<string, number>()
  const lightUse = Math.ceil(limits.perClient / 5)
  const forAll = Math.ceil(limits.total / 2)
  let total = 0
  const give = (client: string) => {
    const left = (counts.get(client) ?? 1) - 1
    if (left === 0) counts.delete(client)
    else counts.set(client, left)
    total -= 1
  }
  return {
    take: (address) => {
      const client = writerOf(address)
      const held = counts.get(client) ?? 0
      if (held >= limits.perClient) return 'client'
      if (total >= (held < lightUse ? limits.total : forAll)) return 'server'
      counts.set(client, held + 1)
      total += 1
      let given = false
      return () => {
        if (!given) give(client)
        given = true
      }
    },
    size: () => total,
  }
}
