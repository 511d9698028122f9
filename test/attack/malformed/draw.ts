/** Gives a number from 0 to 1, below 1. */
export type Draw = () => number

/** Numbers that only hang on the seed. */
export function drawing(seed: number): Draw {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** One of some values. */
export function pick<Value>(draw: Draw, values: readonly Value[]): Value {
  return values[Math.floor(draw() * values.length)] as Value
}
