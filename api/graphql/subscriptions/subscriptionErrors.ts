import { queryError } from '../errors/queryError.ts'
import { SUBSCRIPTION_LIMITS } from '../limits/limits.ts'

/** The reader let too many updates wait. */
export function slowConsumer() {
  return queryError(
    'SLOW_CONSUMER',
    `more than ${SUBSCRIPTION_LIMITS.queue} updates were waiting: subscribe again, then read your data again`,
  )
}

/** Updates may have been left out. */
export function missedChanges() {
  return queryError(
    'MISSED_CHANGES',
    'changes may have been missed: subscribe again, then read your data again',
  )
}

/** The client, or the server, holds as many subscriptions as it may. */
export function tooManySubscriptions(limit: number, whose: 'client' | 'server') {
  const message =
    whose === 'client' ? `a client has at most ${limit} subscriptions` : 'the server is full'
  return queryError('TOO_MANY_SUBSCRIPTIONS', message, {
    status: 429,
    headers: { 'retry-after': '10' },
  })
}
