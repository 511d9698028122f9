/** Lets a few tasks run at once and a few more wait. */
type ConcurrencyLimiter = {
  /** Runs the task in its turn. Throws the result of `refuse` if too many wait. */
  pass<Result>(task: () => Promise<Result>): Promise<Result>
}

/** A limiter for `atOnce` running and `waiting` waiting tasks at most. */
export function createConcurrencyLimiter(
  atOnce: number,
  waiting: number,
  refuse: () => Error,
): ConcurrencyLimiter {
  let running = 0
  const queue: (() => void)[] = []

  async function enter(): Promise<void> {
    if (running < atOnce) {
      running++
      return
    }
    if (queue.length >= waiting) throw refuse()
    await new Promise<void>((resolve) => queue.push(resolve))
  }

  /** Passes the place on, so that no later caller can take it. */
  function leave(): void {
    const next = queue.shift()
    if (next === undefined) running--
    else next()
  }

  return {
    async pass(task) {
      await enter()
      try {
        return await task()
      } finally {
        leave()
      }
    },
  }
}
