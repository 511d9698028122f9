const MILLISECONDS_A_DAY = 86_400_000

/** `2026-01-31` of days since 1970-01-01 UTC. */
export function isoDay(day: number): string {
  return new Date(day * MILLISECONDS_A_DAY).toISOString().slice(0, 10)
}

/** The day that `2026-01-31` names. `2026-02-31` would roll over into March: it names none. */
export function dayOf(text: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null
  const day = Date.parse(`${text}T00:00:00Z`) / MILLISECONDS_A_DAY
  return Number.isInteger(day) && isoDay(day) === text ? day : null
}
