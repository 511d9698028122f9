import { textScalar } from './textScalar.ts'

const MILLISECONDS_A_DAY = 86_400_000

/** A UTC day; `2026-01-31` on the wire, days since 1970-01-01 inside. */
export const dateScalar = textScalar<number>({
  name: 'Date',
  expected: 'a day, such as "2026-01-31"',
  serialize: isoDay,
  parse: (text) => (/^\d{4}-\d{2}-\d{2}$/.test(text) ? dayOf(text) : null),
})

/** `2026-01-31` */
export function isoDay(day: number): string {
  return new Date(day * MILLISECONDS_A_DAY).toISOString().slice(0, 10)
}

/** `2026-02-31` would roll over into March: a date that doesn't round-trip is invalid. */
function dayOf(text: string): number | null {
  const day = Date.parse(`${text}T00:00:00Z`) / MILLISECONDS_A_DAY
  return Number.isInteger(day) && isoDay(day) === text ? day : null
}
