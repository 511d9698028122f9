import type { RecoveryStep } from '../../services/relayer/recovery/recover.ts'

const WIDTH = 30

/** A progress bar on a terminal; silent where the stream is none. */
export function createProgressBar(stream: NodeJS.WriteStream) {
  const began = performance.now()
  let shown = false
  return {
    show(step: RecoveryStep): void {
      if (!stream.isTTY) return
      stream.write(`\r${progressLine(step, performance.now() - began)}\x1b[K`)
      shown = true
    },
    /** Ends the bar's line, so that what follows begins on a new one. */
    end(): void {
      if (shown) stream.write('\n')
      shown = false
    },
  }
}

/** One line: `base_sepolia ███████░░░  70 %  block 1,234  567 blobs  890/s`. */
function progressLine({ chain, from, to, at, blobs }: RecoveryStep, elapsedMs: number): string {
  const share = to < from ? 1 : (at - from + 1) / (to - from + 1)
  const full = Math.floor(share * WIDTH)
  const bar = '█'.repeat(full) + '░'.repeat(WIDTH - full)
  const percent = String(Math.floor(share * 100)).padStart(3)
  const rate = Math.round(blobs / Math.max(elapsedMs / 1000, 0.001))
  const [block, opened, perSecond] = [at, blobs, rate].map((value) => value.toLocaleString('en-US'))
  return `${chain} ${bar} ${percent} %  block ${block}  ${opened} blobs  ${perSecond}/s`
}
