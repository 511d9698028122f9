import { writerOf } from './clientAddress.ts'

/** Places that clients hold for as long as something of theirs is open. */
export type ClientCounts = {
  /** Takes a place and returns what gives it back; or says whose limit is reached. */
  take(client: string): (() => void) | 'client' | 'server'
  /** Places taken. */
  size(): number
}

/**
 * Counts what is open, by client and in all, as writes are counted: an IPv6 client is its /48, and those who hold
 * much, however many they are, leave half of all places to those who hold a fifth of what a client may.
 */
export function createClientCounts(limits: { perClient: number; total: number }): ClientCounts {
  const counts = new Map<string, number>()
  const modest = Math.ceil(limits.perClient / 5)
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
      if (total >= (held < modest ? limits.total : forAll)) return 'server'
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
