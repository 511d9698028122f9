import { isoTime } from '../../http/isoTime.ts'
import { textScalar } from './textScalar.ts'

const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/

/** A moment; ISO 8601 in UTC on the wire, unix seconds inside. Fractions of a second are dropped. */
export const dateTimeScalar = textScalar<number>({
  name: 'DateTime',
  expected: 'ISO 8601 with a zone, such as "2026-01-31T12:00:00Z", or unix seconds',
  integers: true,
  serialize: isoTime,
  parse: secondsOf,
})

function secondsOf(text: string): number | null {
  if (/^\d{1,12}$/.test(text)) return Number(text)
  const milliseconds = ISO.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(milliseconds) ? null : Math.floor(milliseconds / 1_000)
}
