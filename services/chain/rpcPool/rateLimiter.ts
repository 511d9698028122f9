/**
 * A token bucket of one second's worth of requests.
 *
 * `reserve` books tokens at once and says how long to wait before sending, so that callers that reserve
 * in turn are spread out evenly without a queue.
 */
export type RateLimiter = {
  /** Books `count` requests; returns the milliseconds to wait before sending them. */
  reserve(count: number): number
  /** Milliseconds until `count` requests could go, without booking them. */
  waitFor(count: number): number
}

/**
 * @param requestsPerSecond undefined for no limit.
 * @param now milliseconds of a clock that doesn't go back.
 */
export function createRateLimiter(
  requestsPerSecond: number | undefined,
  now: () => number = () => performance.now(),
): RateLimiter {
  if (requestsPerSecond === undefined) return { reserve: () => 0, waitFor: () => 0 }
  const capacity = Math.max(1, requestsPerSecond)
  let tokens = capacity
  let refilledAt = now()

  const refill = () => {
    const at = now()
    tokens = Math.min(capacity, tokens + ((at - refilledAt) / 1000) * requestsPerSecond)
    refilledAt = at
  }
  // A batch larger than the bucket may go when the bucket is full; it leaves a debt that later requests wait for.
  const shortfall = (count: number) => Math.max(0, Math.min(count, capacity) - tokens)
  const waitFor = (count: number) => {
    refill()
    return (shortfall(count) / requestsPerSecond) * 1000
  }
  return {
    waitFor,
    reserve(count) {
      const wait = waitFor(count)
      tokens -= count
      return wait
    },
  }
}
