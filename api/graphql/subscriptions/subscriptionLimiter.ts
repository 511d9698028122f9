import { createOpenStreamLimiter } from '../../http/limits/openStreamLimiter.ts'
import { SUBSCRIPTION_LIMITS } from '../limits/limits.ts'
import { tooManySubscriptions } from './subscriptionErrors.ts'

/** `signal` ends the subscription: its client left, or lost the place to a client that holds fewer. */
type SubscriberPlace = { signal: AbortSignal; leave: () => void }

export type SubscriptionLimiter = {
  /** Takes a place for a client. Throws TOO_MANY_SUBSCRIPTIONS. */
  take(client: string, left?: AbortSignal): SubscriberPlace
  size(): number
}

export function createSubscriptionLimiter(
  limits: { perClient: number; total: number } = SUBSCRIPTION_LIMITS,
): SubscriptionLimiter {
  const counts = createOpenStreamLimiter(limits)
  return {
    take: (client, left) => {
      const lost = new AbortController()
      const taken = counts.take(client, () => lost.abort())
      if (taken === 'client') throw tooManySubscriptions(limits.perClient, 'client')
      if (taken === 'server') throw tooManySubscriptions(limits.total, 'server')
      const signal = left ? AbortSignal.any([lost.signal, left]) : lost.signal
      return { signal, leave: taken }
    },
    size: counts.size,
  }
}
