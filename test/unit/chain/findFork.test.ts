import { expect, test } from 'vitest'
import { findFork, type ReadBlock } from '../../../services/chain/history/findFork.ts'

/** Blocks that were read; those above `fork` have left the chain. */
async function forkOf(numbers: readonly number[], fork: number) {
  let asked = 0
  const read = numbers.map((number): ReadBlock => ({ number, hash: `0x${number}` }))
  const found = await findFork(
    async (most) => read.findLast(({ number }) => number <= most) ?? null,
    async ({ number }) => {
      asked += 1
      return number <= fork
    },
    9,
  )
  return { found, asked }
}

test('nothing that was read above the fork is kept, and all below it', async () => {
  const read = [10, 11, 17, 30, 31, 64]
  for (let fork = 9; fork <= 64; fork++) {
    const { found } = await forkOf(read, fork)
    const kept = read.filter((number) => number <= found)
    expect(kept).toEqual(read.filter((number) => number <= fork))
  }
})

test('of a thousand blocks few are asked for', async () => {
  const read = Array.from({ length: 1_000 }, (_, at) => 10 + at * 50)
  expect((await forkOf(read, 33_333)).asked).toBeLessThan(30)
  expect(await forkOf([], 100)).toEqual({ found: 9, asked: 0 })
})
