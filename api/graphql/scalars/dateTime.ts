import { isoTime } from '../../http/isoTime.ts'
import { parseTime } from '../../http/parseTime.ts'
import { textScalar } from './textScalar.ts'

/** A moment; ISO 8601 in UTC on the wire, unix seconds inside. Fractions of a second are dropped. */
export const dateTimeScalar = textScalar<number>({
  name: 'DateTime',
  expected: 'ISO 8601 with a zone, such as "2026-01-31T12:00:00Z", a day in UTC, or unix seconds',
  integers: true,
  serialize: isoTime,
  parse: parseTime,
})
