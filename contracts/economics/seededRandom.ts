/** A seeded source of random numbers. */
export type Random = {
  /** In [0, 1). */
  next(): number
  /** An integer in [from, to]. */
  between(from: number, to: number): number
  /** Standard normal. */
  normal(): number
}

/** Mulberry32: small, fast, and good enough for markets. */
export function createSeededRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  return {
    next,
    between: (from, to) => from + Math.floor(next() * (to - from + 1)),
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
  }
}
