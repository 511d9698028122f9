import { setTimeout } from 'node:timers/promises'

/** Below a suite's own timeout, so that a failure says what was waited for. */
export const PATIENCE_MS = 200_000

/**
 * Resolves once the condition holds, looking at it again and again.
 *
 * @param what names in a failure what was waited for; the condition's source where it says enough
 * @throws after `patience` ms in which the condition didn't hold
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what = String(condition),
  { patience = PATIENCE_MS, every = 50 } = {},
): Promise<void> {
  const begun = performance.now()
  while (!(await condition())) {
    if (performance.now() - begun > patience) {
      throw new Error(`waited ${patience / 1_000} s in vain for: ${what}`)
    }
    await setTimeout(every)
  }
}
