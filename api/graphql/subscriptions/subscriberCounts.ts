import { SUBSCRIPTION_LIMITS } from '../limits/limits.ts'
import { tooManySubscriptions } from './subscriptionErrors.ts'

export type SubscriberCounts = {
  /** Takes a place for a client and returns what gives it back. Throws TOO_MANY_SUBSCRIPTIONS. */
  take(client: string): () => void
  /** Places taken. */
  size(): number
}

/** Counts subscriptions, by client and in all. */
export function createSubscriberCounts(
  limits: { perClient: number; total: number } = SUBSCRIPTION_LIMITS,
): SubscriberCounts {
  const counts = new Map<string, number>()
  let total = 0
  const give = (client: string) => {
    const left = (counts.get(client) ?? 1) - 1
    if (left === 0) counts.delete(client)
    else counts.set(client, left)
    total -= 1
  }
  return {
    take: (client) => {
      const held = counts.get(client) ?? 0
      if (held >= limits.perClient) throw tooManySubscriptions(limits.perClient, 'client')
      if (total >= limits.total) throw tooManySubscriptions(limits.total, 'server')
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
