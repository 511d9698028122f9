/** Limits how many work at once; among those waiting, payers take turns. */
export type FairTurns = <Result>(payer: string, work: () => Promise<Result>) => Promise<Result>

/**
 * Turns by payer: one with hundreds of requests waits for itself, and nobody else waits for it.
 *
 * @param atOnce how many work at the same time
 */
export function fairTurns(atOnce: number): FairTurns {
  let free = atOnce
  // A map keeps the order in which its keys were set: the payer at the front is next.
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
