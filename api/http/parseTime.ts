import { parseIsoDay } from './isoDay.ts'

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/
const SECONDS_A_DAY = 86_400

/**
 * Parses ISO 8601 with a time zone, a plain date (midnight UTC), or unix seconds, to unix seconds. Null for
 * anything else. Drops fractions of a second.
 */
export function parseTime(text: string): number | null {
  if (/^\d{1,12}$/.test(text)) return Number(text)
  const day = parseIsoDay(text)
  if (day !== null) return day * SECONDS_A_DAY
  const isTime = TIME.test(text) && parseIsoDay(text.slice(0, 10)) !== null
  const milliseconds = isTime ? Date.parse(text) : Number.NaN
  return Number.isNaN(milliseconds) ? null : Math.floor(milliseconds / 1_000)
}
