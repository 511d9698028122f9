/** A reproducible source of randomness. */
export type SeededRandom = {
  /** A number from 0 up to, but not including, 1. */
  fraction(): number
  /** An integer from `from` to `to`, inclusive. */
  whole(from: number, to: number): number
  /** True with a probability of one in `sides`. */
  oneIn(sides: number): boolean
  pick<Value>(values: readonly Value[]): Value
  /** An independent generator, so that one component's draws don't affect another's. */
  split(): SeededRandom
}

/** Uses mulberry32. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed | 0
  const fraction = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const whole = (from: number, to: number) => from + Math.floor(fraction() * (to - from + 1))
  return {
    fraction,
    whole,
    oneIn: (sides) => whole(1, sides) === 1,
    pick: (values) => values[whole(0, values.length - 1)]!,
    split: () => seededRandom(whole(0, 0x7fffffff)),
  }
}
