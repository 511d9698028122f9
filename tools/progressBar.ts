/** Progress in reading a chain. */
export type Step = { chain: string; from: number; to: number; at: number } & (
  | { events: number }
  | { blobs: number }
)

export type Progress = {
  show(step: Step): void
  /** Ends the bar's line. */
  end(): void
}

export type ProgressStream = { isTTY?: boolean; write(text: string): unknown }

const WIDTH = 30

/** A progress bar on a terminal; prints nothing to other streams. */
export function createProgressBar(stream: ProgressStream): Progress {
  const startedAt = performance.now()
  let shown = false
  return {
    show(step) {
      if (!stream.isTTY) return
      stream.write(`\r${progressLine(step, performance.now() - startedAt)}\x1b[K`)
      shown = true
    },
    end() {
      if (shown) stream.write('\n')
      shown = false
    },
  }
}

/** One line: `base_sepolia ███████░░░  70 %  block 1,234  567 events  890/s`. */
export function progressLine(step: Step, elapsedMs: number): string {
  const { chain, from, to, at } = step
  const [found, noun] = 'events' in step ? [step.events, 'events'] : [step.blobs, 'blobs']
  const share = to < from ? 1 : (at - from + 1) / (to - from + 1)
  const full = Math.floor(share * WIDTH)
  const bar = '█'.repeat(full) + '░'.repeat(WIDTH - full)
  const percent = String(Math.floor(share * 100)).padStart(3)
  const rate = Math.round(found / Math.max(elapsedMs / 1000, 0.001))
  return `${chain} ${bar} ${percent} %  block ${formatCount(at)}  ${formatCount(found)} ${noun}  ${formatCount(rate)}/s`
}

/** A whole number with separators. */
export function formatCount(value: number): string {
  return value.toLocaleString('en-US')
}
