/** A wrong clock, as `/health` reports it. */
export type ClockProblem = { code: 'CLOCKS_DIFFER'; cause: string; fix: string }

/** Seconds between two machines' clocks. Receivers refuse a signed time that is five minutes off. */
const CLOCKS_DIFFER_FROM = 60

/**
 * Reports a process whose clock is at least a minute off the database server's; null if it isn't.
 *
 * @param whose for example “this API’s”
 * @param harm what the difference causes
 */
export function describeClockDifference(
  whose: string,
  secondsAhead: number,
  harm: string,
): ClockProblem | null {
  const seconds = Math.round(secondsAhead)
  if (Math.abs(seconds) < CLOCKS_DIFFER_FROM) return null
  const difference = `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'}`
  return {
    code: 'CLOCKS_DIFFER',
    cause: `${whose} clock is ${difference} the database server’s`,
    fix: `Synchronise both machines’ clocks (NTP): ${harm}.`,
  }
}
