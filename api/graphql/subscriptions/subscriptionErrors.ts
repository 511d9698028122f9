import { queryError } from '../errors/queryError.ts'
import { SUBSCRIPTION_LIMITS } from '../limits/limits.ts'

/** The reader fell too far behind. */
export function slowConsumer() {
  return queryError(
    'SLOW_CONSUMER',
    `more than ${SUBSCRIPTION_LIMITS.queue} updates were waiting: subscribe again, then reload your data`,
  )
}

/** Updates may be missing. */
export function missedChanges() {
  return queryError(
    'MISSED_CHANGES',
    'changes may have been missed: subscribe again, then reload your data',
  )
}

export function tooManySubscriptions(limit: number, whose: 'client' | 'server') {
  const message =
    whose === 'client'
      ? `a client can have at most ${limit} subscriptions`
      : 'the server has too many subscriptions: try again later'
  return queryError('TOO_MANY_SUBSCRIPTIONS', message, {
    status: 429,
    headers: { 'retry-after': '10' },
  })
}
