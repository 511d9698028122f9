/** How far a fold is. */
export type FoldProgress = {
  chain: string
  /** Blocks that were missing when it began, and how many of them are done. */
  totalBlocks: number
  doneBlocks: number
  /** Events written so far. */
  events: number
  /** Milliseconds since it began. */
  elapsedMs: number
}

const barWidth = 24

/** One line: a bar, the share done, events, speed and the time left. */
export function formatFoldProgress(progress: FoldProgress): string {
  const { chain, doneBlocks, totalBlocks, events, elapsedMs } = progress
  const share = totalBlocks === 0 ? 1 : doneBlocks / totalBlocks
  const filled = Math.round(share * barWidth)
  const bar = '█'.repeat(filled) + '░'.repeat(barWidth - filled)
  const seconds = elapsedMs / 1000
  const speed = seconds > 0 ? Math.round(events / seconds) : 0
  const left =
    share > 0 && share < 1 ? `, ${formatSeconds((seconds / share) * (1 - share))} left` : ''
  const percent = `${Math.floor(share * 100)} %`
  return `${chain} ${bar} ${percent} of ${totalBlocks} blocks, ${events} events (${speed}/s)${left}`
}

function formatSeconds(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
