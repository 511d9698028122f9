import { createHash } from 'node:crypto'

/** Pseudo-random numbers that depend only on the seed and the labels. */
type Draw = {
  /** From 0 (inclusive) to 1 (exclusive). */
  fraction(): number
  /** Integer from `least` to `most`, inclusive. */
  between(least: number, most: number): number
  pick<T>(choices: readonly T[]): T
}

/**
 * A stream of numbers for one purpose, e.g. `drawFor(seed, 'fate', intentId)`. The same labels give the same stream, so
 * decisions about an intent need no storage and survive a restart.
 */
export function drawFor(seed: number, ...labels: (string | number | bigint)[]): Draw {
  let position = 0
  const fraction = () => {
    const text = [seed, ...labels, position++].join('/')
    const digest = createHash('sha256').update(text).digest()
    return digest.readUIntBE(0, 6) / 2 ** 48
  }
  return {
    fraction,
    between: (least, most) => least + Math.floor(fraction() * (most - least + 1)),
    pick: (choices) => {
      const choice = choices[Math.floor(fraction() * choices.length)]
      if (choice === undefined) throw new Error('nothing to pick from')
      return choice
    },
  }
}
