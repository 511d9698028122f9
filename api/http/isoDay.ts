const DAY_MS = 86_400_000

/** Days since 1970-01-01 UTC as `2026-01-31`. */
export function toIsoDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10)
}

/** `2026-01-31` as days since 1970-01-01 UTC; null if there is no such day. */
export function parseIsoDay(text: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null
  const day = Date.parse(`${text}T00:00:00Z`) / DAY_MS
  // `2026-02-31` would roll over into March.
  return Number.isInteger(day) && toIsoDay(day) === text ? day : null
}
