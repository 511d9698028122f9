/** `2026-02-03T04:05:06Z` for unix seconds; the number itself beyond a date's range. */
export function formatIsoTimestamp(seconds: number): string {
  const date = new Date(seconds * 1_000)
  return Number.isNaN(date.getTime()) ? String(seconds) : date.toISOString().replace('.000', '')
}
