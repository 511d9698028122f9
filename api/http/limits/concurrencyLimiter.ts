/** Limits the tasks that run at once and those that are queued. */
type ConcurrencyLimiter = {
  /** Runs the task in its turn. Throws the result of `refuse` if the queue is full. */
  pass<Result>(task: () => Promise<Result>): Promise<Result>
}

export function createConcurrencyLimiter(
  atOnce: number,
  waiting: number,
  refuse = () => new Error('too many tasks are waiting'),
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

  /** Hands the slot to the next task, so that no later caller can take it. */
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
