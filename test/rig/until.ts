import { setTimeout } from 'node:timers/promises'

/** Shorter than a suite's timeout, so that a failure names the condition. */
export const PATIENCE_MS = 200_000

/**
 * Polls until the condition holds.
 *
 * @param what the condition's name in an error; its source where that says enough
 * @throws when the condition does not hold within `patience` ms
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what = String(condition),
  { patience = PATIENCE_MS, every = 50 } = {},
): Promise<void> {
  const begun = performance.now()
  while (!(await condition())) {
    if (performance.now() - begun > patience) {
      throw new Error(`not true after ${patience / 1_000} s: ${what}`)
    }
    await setTimeout(every)
  }
}
