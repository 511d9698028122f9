/** Limits the tasks that run at once and those that are queued. */
type ConcurrencyLimiter = {
  /**
   * Runs the task in its turn. Throws the result of `refuse` if the queue is full.
   *
   * @param weight how much of the limit it takes up; default 1. A task that is heavier than the limit runs alone
   */
  pass<Result>(task: () => Promise<Result>, weight?: number): Promise<Result>
  isIdle(): boolean
}

export function createConcurrencyLimiter(
  atOnce: number,
  waiting: number,
  refuse = () => new Error('too many tasks are waiting'),
): ConcurrencyLimiter {
  let running = 0
  const queue: { weight: number; begin: () => void }[] = []
  const fits = (weight: number) => running === 0 || running + weight <= atOnce

  async function enter(weight: number): Promise<void> {
    if (queue.length === 0 && fits(weight)) {
      running += weight
      return
    }
    if (queue.length >= waiting) throw refuse()
    await new Promise<void>((begin) => queue.push({ weight, begin }))
  }

  /** Hands its room to the next tasks, so that no later caller can take it. */
  function leave(weight: number): void {
    running -= weight
    for (let [next] = queue; next && fits(next.weight); [next] = queue) {
      queue.shift()
      running += next.weight
      next.begin()
    }
  }

  return {
    async pass(task, weight = 1) {
      await enter(weight)
      try {
        return await task()
      } finally {
        leave(weight)
      }
    },
    isIdle: () => running === 0,
  }
}
