/** How far the reading of a chain has come, and what was found. */
export type Step = { chain: string; from: number; to: number; at: number } & (
  | { events: number }
  | { blobs: number }
)

export type Progress = {
  show(step: Step): void
  /** Ends the bar's line, so that what follows begins on a new one. */
  end(): void
}

/** `process.stderr`, or what stands for it. */
export type ProgressStream = { isTTY?: boolean; write(text: string): unknown }

const WIDTH = 30

/** A progress bar on a terminal; silent where the stream is none. */
export function createProgressBar(stream: ProgressStream): Progress {
  const began = performance.now()
  let shown = false
  return {
    show(step) {
      if (!stream.isTTY) return
      stream.write(`\r${progressLine(step, performance.now() - began)}\x1b[K`)
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
  return `${chain} ${bar} ${percent} %  block ${count(at)}  ${count(found)} ${noun}  ${count(rate)}/s`
}

/** A whole number with separators. */
export function count(value: number): string {
  return value.toLocaleString('en-US')
}
