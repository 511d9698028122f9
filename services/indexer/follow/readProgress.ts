/**
 * Share of the first backfill that is done, 0 to 1, by Ponder's own metrics; null when it doesn't
 * answer or has not begun.
 */
export async function readProgress(metricsUrl: string): Promise<number | null> {
  try {
    const response = await fetch(metricsUrl, { signal: AbortSignal.timeout(1_000) })
    return progressOf(await response.text())
  } catch {
    return null
  }
}

/** The same from the text of the metrics. */
export function progressOf(metrics: string): number | null {
  const seconds = (name: string) => {
    const found = metrics.match(
      new RegExp(`^ponder_historical_${name}_indexing_seconds{.*} (.+)$`, 'm'),
    )
    return found ? Number(found[1]) : null
  }
  const [total, cached, completed] = ['total', 'cached', 'completed'].map(seconds)
  if (total == null || cached == null || completed == null) return null
  if (total === 0) return 1
  return Math.min(1, (cached + completed) / total)
}
