/** Blocks `from` to `to`, both included. */
export type BlockRange = { from: number; to: number }

export function blocksIn({ from, to }: BlockRange): number {
  return Math.max(0, to - from + 1)
}
