import { createClientCounts } from '../../http/limits/clientCounts.ts'
import { SUBSCRIPTION_LIMITS } from '../limits/limits.ts'
import { tooManySubscriptions } from './subscriptionErrors.ts'

export type SubscriberCounts = {
  /** Takes a place for a client and returns what gives it back. Throws TOO_MANY_SUBSCRIPTIONS. */
  take(client: string): () => void
  /** Places taken. */
  size(): number
}

export function createSubscriberCounts(
  limits: { perClient: number; total: number } = SUBSCRIPTION_LIMITS,
): SubscriberCounts {
  const counts = createClientCounts(limits)
  return {
    take: (client) => {
      const taken = counts.take(client)
      if (taken === 'client') throw tooManySubscriptions(limits.perClient, 'client')
      if (taken === 'server') throw tooManySubscriptions(limits.total, 'server')
      return taken
    },
    size: counts.size,
  }
}
