const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/
const DAY = /^\d{4}-\d{2}-\d{2}$/

/**
 * Parses ISO 8601 with a time zone, a plain date (midnight UTC), or unix seconds, to unix seconds. Null for
 * anything else. Drops fractions of a second.
 */
export function parseTime(text: string): number | null {
  if (/^\d{1,12}$/.test(text)) return Number(text)
  if (DAY.test(text)) return dayOf(text)
  const isTime = TIME.test(text) && dayOf(text.slice(0, 10)) !== null
  const milliseconds = isTime ? Date.parse(text) : Number.NaN
  return Number.isNaN(milliseconds) ? null : Math.floor(milliseconds / 1_000)
}

/** `2026-02-31` would roll over into March: a date that doesn't round-trip is invalid. */
function dayOf(text: string): number | null {
  const date = new Date(`${text}T00:00:00Z`)
  const isDay = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
  return isDay ? date.getTime() / 1_000 : null
}
