/** How many blocks to request logs of at once: many where little happens, few where much does. */
export type RangePace = {
  /** Blocks of the next range. */
  width(): number
  /** Learns from an answer. */
  learn(answer: { blocks: number; logs: number }): void
  /**
   * Learns from a refusal of a range of `blocks`; `allowed` is the width that the provider named, if any. One that
   * named none may have refused for a few full blocks: after many answers more are tried.
   */
  narrow(blocks: number, allowed: number | undefined): void
  /** Learns from an answer that was too long to be read: fewer blocks now, and more again where less happens. */
  halve(blocks: number): void
  /** Forgets the refusal: one block was too full, not a range too wide. */
  forget(): void
}

/** Answers in a row after which twice as many blocks as were refused are tried. */
const WIDEN_AFTER = 32

/**
 * @param target logs that one answer should hold: bounds the memory, and keeps answers below providers' limits.
 */
export function createRangePace({
  first = 128,
  most = 100_000,
  target = 4_000,
}: {
  first?: number
  most?: number
  target?: number
} = {}): RangePace {
  let width = first
  let ceiling = most
  // A limit that a provider named stays.
  let named = most
  let answered = 0
  return {
    width: () => width,
    learn({ blocks, logs }) {
      answered += 1
      if (answered % WIDEN_AFTER === 0) ceiling = Math.min(ceiling * 2, named)
      // Density of this answer, held between an eighth and eight times the present width against bursts.
      const desired = (blocks / Math.max(logs, 1)) * target
      width = Math.floor(Math.min(Math.max(desired, width / 8), width * 8, ceiling))
      width = Math.max(width, 1)
    },
    narrow(blocks, allowed) {
      answered = 0
      ceiling = Math.max(1, Math.min(allowed ?? Math.floor(blocks / 2), blocks - 1))
      if (allowed !== undefined) named = ceiling
      width = Math.min(width, ceiling)
    },
    halve(blocks) {
      width = Math.max(1, Math.floor(blocks / 2))
    },
    forget() {
      ceiling = named = most
      width = first
    },
  }
}
