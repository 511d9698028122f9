import { textScalar } from './textScalar.ts'

const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/
/** The last second that dates reach. */
const LAST_SECOND = 8_640_000_000_000

/** A moment; ISO 8601 in UTC on the wire, unix seconds inside. Fractions of a second are dropped. */
export const dateTimeScalar = textScalar<number>({
  name: 'DateTime',
  expected: 'ISO 8601 with a zone, such as "2026-01-31T12:00:00Z", or unix seconds',
  integers: true,
  serialize: isoTime,
  parse: secondsOf,
})

/** Unix seconds as ISO 8601 in UTC. A time further off than dates reach is told as the last one. */
export function isoTime(seconds: number): string {
  return new Date(Math.min(seconds, LAST_SECOND) * 1_000).toISOString()
}

function secondsOf(text: string): number | null {
  if (/^\d{1,12}$/.test(text)) return Number(text)
  const milliseconds = ISO.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(milliseconds) ? null : Math.floor(milliseconds / 1_000)
}
