/** Chance that a seed repeats. */
export type Dice = {
  /** A whole number from `from` to `to`, both included. */
  whole(from: number, to: number): number
  /** True once in so many throws. */
  oneIn(sides: number): boolean
  pick<Value>(values: readonly Value[]): Value
  /** Dice of their own, so that what one part throws is no other's matter. */
  split(): Dice
}

/** The generator is mulberry32. */
export function dice(seed: number): Dice {
  let state = seed | 0
  const throwOnce = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const whole = (from: number, to: number) => from + Math.floor(throwOnce() * (to - from + 1))
  return {
    whole,
    oneIn: (sides) => whole(1, sides) === 1,
    pick: (values) => values[whole(0, values.length - 1)]!,
    split: () => dice(whole(0, 0x7fffffff)),
  }
}
