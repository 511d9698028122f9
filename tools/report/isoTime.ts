/** `2026-02-03T04:05:06Z` for unix seconds. */
export function isoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000', '')
}
