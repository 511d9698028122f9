/** Limits how many tasks run at once. Waiting payers take turns. */
export type FairTurns = <Result>(payer: string, work: () => Promise<Result>) => Promise<Result>

/**
 * Schedules tasks round-robin by payer, so a payer with hundreds of tasks delays only itself.
 *
 * @param atOnce the maximum number of concurrent tasks
 */
export function createFairTurns(atOnce: number): FairTurns {
  let free = atOnce
  // A map keeps insertion order, so the first payer is next.
  const waiting = new Map<string, (() => void)[]>()

  const next = () => {
    const [first] = waiting
    if (first === undefined) {
      free += 1
      return
    }
    const [payer, [begin, ...others]] = first
    waiting.delete(payer)
    if (others.length > 0) waiting.set(payer, others)
    begin?.()
  }

  const turn = (payer: string) => {
    if (free > 0) {
      free -= 1
      return Promise.resolve()
    }
    return new Promise<void>((resolve) => {
      const own = waiting.get(payer)
      if (own) own.push(resolve)
      else waiting.set(payer, [resolve])
    })
  }

  return async (payer, work) => {
    await turn(payer)
    try {
      return await work()
    } finally {
      next()
    }
  }
}
