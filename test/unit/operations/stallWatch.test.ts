import { expect, test } from 'vitest'
import { createStallWatch } from '../../../api/rest/operations/stallWatch.ts'

/** A chain whose blocks are so many seconds apart, and a clock. */
function watchChainOf(gap: number) {
  const clock = { seconds: 0, asked: 0 }
  const readTime = async (block: number) => {
    clock.asked += 1
    return block * gap
  }
  const hasStalled = createStallWatch(readTime, () => clock.seconds * 1_000)
  const at = (seconds: number, blockNumber: number) => {
    clock.seconds = seconds
    return hasStalled({ blockNumber, timestamp: blockNumber * gap })
  }
  return { clock, at }
}

test('a chain without a new block for five minutes has stalled, until there is one', async () => {
  const { at, clock } = watchChainOf(2)
  expect(await at(0, 1_000)).toBe(false)
  expect(await at(300, 1_000)).toBe(false)
  expect(clock.asked).toBe(0)
  expect(await at(301, 1_000)).toBe(true)
  expect(await at(900, 1_000)).toBe(true)
  expect(clock.asked).toBe(1)
  expect(await at(901, 1_001)).toBe(false)
  expect(await at(1_201, 1_001)).toBe(false)
  expect(await at(1_202, 1_001)).toBe(true)
})

test('a chain that makes a block only when there is a transaction may be silent for longer', async () => {
  const { at } = watchChainOf(60)
  expect(await at(0, 1_000)).toBe(false)
  expect(await at(1_200, 1_000)).toBe(false)
  expect(await at(1_201, 1_000)).toBe(true)
})

test('a chain of few blocks, and a node without the old block, are judged by five minutes', async () => {
  const young = watchChainOf(2)
  expect(await young.at(0, 0)).toBe(false)
  expect(await young.at(301, 0)).toBe(true)
  let seconds = 0
  const hasStalled = createStallWatch(
    async () => null,
    () => seconds * 1_000,
  )
  const head = { blockNumber: 500, timestamp: 5 }
  expect(await hasStalled(head)).toBe(false)
  seconds = 301
  expect(await hasStalled(head)).toBe(true)
})
