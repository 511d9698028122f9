/**
 * Limits how much work runs at once. Waiting payers take turns.
 *
 * @param weight how much of the limit the task takes up, and how much it uses of its payer's share. Default 1
 */
export type FairTurns = <Result>(
  payer: string,
  work: () => Promise<Result>,
  weight?: number,
) => Promise<Result>

/**
 * A waiting task. `start`: when it could begin if its payer had a fixed share, by a clock that counts the work begun.
 */
type WaitingTask = { start: number; weight: number; begin: () => void }

/** Payers remembered before those without a debt are forgotten. */
const MOST_PAYERS = 1_000

/**
 * Schedules tasks so that each payer gets an equal share of the work: one with hundreds of tasks, or with heavy ones,
 * delays mostly itself. A heavy task is not overtaken for long: those that come later keep room free for it.
 *
 * @param atOnce the maximum total weight of concurrent tasks; a heavier one runs alone
 */
export function createFairTurns(atOnce: number): FairTurns {
  let free = atOnce
  let clock = 0
  const waiting: WaitingTask[] = []
  /** When each payer's tasks so far end, by that clock. */
  const ends = new Map<string, number>()

  const begin = ({ start, weight, begin }: WaitingTask) => {
    free -= weight
    // The clock must also advance by the work: otherwise all new payers would start at the same time.
    clock = Math.max(clock, start) + weight / atOnce
    begin()
  }

  /** Begins the tasks that start first. One that needs more room than there is keeps others from overtaking it. */
  const beginNext = () => {
    for (;;) {
      const first = waiting.reduce<WaitingTask | null>(
        (best, one) => (best === null || one.start < best.start ? one : best),
        null,
      )
      if (first === null || first.weight > free) return
      waiting.splice(waiting.indexOf(first), 1)
      begin(first)
    }
  }

  const turn = (payer: string, weight: number) => {
    if (ends.size > MOST_PAYERS) {
      for (const [name, end] of ends) if (end <= clock) ends.delete(name)
    }
    const start = Math.max(clock, ends.get(payer) ?? 0)
    ends.set(payer, start + weight)
    return new Promise<void>((resolve) => {
      waiting.push({ start, weight, begin: resolve })
      beginNext()
    })
  }

  return async (payer, work, weight = 1) => {
    const taken = Math.min(weight, atOnce)
    await turn(payer, taken)
    try {
      return await work()
    } finally {
      free += taken
      beginNext()
    }
  }
}
