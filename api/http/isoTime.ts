const DAY = 86_400
/** The last second that `Date` can represent. */
const LAST_SECOND = 8_640_000_000_000

const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))

/** The last formatted day (days since 1970) and its text, cached because lists span few days. */
let day = Number.NaN
let written = ''

/** Unix seconds (a non-negative integer) as ISO 8601 in UTC. Later times become the last representable date. */
export function toIsoTime(seconds: number): string {
  const time = Math.min(seconds, LAST_SECOND)
  const ofDay = Math.floor(time / DAY)
  if (ofDay !== day) {
    written = new Date(ofDay * DAY * 1_000).toISOString().slice(0, -'00:00:00.000Z'.length)
    day = ofDay
  }
  const rest = time - ofDay * DAY
  const minutes = Math.floor(rest / 60)
  const hour = TWO_DIGITS[Math.floor(minutes / 60)]
  return `${written}${hour}:${TWO_DIGITS[minutes % 60]}:${TWO_DIGITS[rest % 60]}.000Z`
}

/** The same; null stays null. */
export function toIsoTimeOrNull(seconds: number | null): string | null {
  return seconds === null ? null : toIsoTime(seconds)
}
