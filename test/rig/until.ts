import { setTimeout } from 'node:timers/promises'

/** Shorter than a suite's timeout, so that a failure names the condition. */
export const TIMEOUT_MS = 150_000

/** Each block of a chain costs its index and its readers more processor time than a poll does. */
const MEANWHILE_MS = 600

type UntilOptions = {
  /** Milliseconds. */
  timeout?: number
  /** Milliseconds between polls. */
  interval?: number
  /** Called before the first poll, then every 600 ms: mines a block, for what waits for one. */
  meanwhile?: () => Promise<unknown>
}

/**
 * Polls until the condition holds.
 *
 * @param what the condition's name in an error; its source where that says enough
 * @throws when the condition does not hold within `timeout` ms
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what = String(condition),
  { timeout = TIMEOUT_MS, interval = 50, meanwhile }: UntilOptions = {},
): Promise<void> {
  const begun = performance.now()
  let next = begun
  for (;;) {
    if (meanwhile && performance.now() >= next) {
      await meanwhile()
      next = performance.now() + MEANWHILE_MS
    }
    if (await condition()) return
    if (performance.now() - begun > timeout) {
      throw new Error(`not true after ${timeout / 1_000} s: ${what}`)
    }
    await setTimeout(interval)
  }
}
