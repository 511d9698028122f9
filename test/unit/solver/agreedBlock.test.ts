import { BlockNotFoundError } from 'viem'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createQueryAllProviders } from '../../../services/chain/transactions/queryAllProviders.ts'
import { readAgreedBlock } from '../../../services/solver/chain/readAgreedAnswer.ts'
import type { SolverChain } from '../../../services/solver/chain/solverChain.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

/** A chain with a block a second, and nodes whose heads the test sets; null: it doesn't answer. */
function chainWith(...heads: (number | null)[]) {
  const nodes = heads.map((_, position) => ({
    name: String(position),
    operator: String(position),
    client: {
      getBlock: async ({ blockNumber }: { blockNumber?: bigint }) => {
        const reported = heads[position] ?? null
        if (reported === null) throw new Error('no answer')
        const head = BigInt(reported)
        if (blockNumber !== undefined && blockNumber > head)
          throw new BlockNotFoundError({ blockNumber })
        const number = blockNumber ?? head
        return { number, timestamp: number }
      },
    },
  }))
  const chain = { nodes, heads: new Map(), queryAll: createQueryAllProviders(nodes) }
  return {
    readTime: async () => Number((await readAgreedBlock(chain as never as SolverChain)).timestamp),
    report: (...next: (number | null)[]) => void heads.splice(0, heads.length, ...next),
  }
}

it('the first of two nodes tells the time, until it has had no block for a minute while the other has', async () => {
  const { readTime, report } = chainWith(100, 101)
  expect(await readTime()).toBe(100)
  vi.advanceTimersByTime(60_000)
  report(100, 161)
  expect(await readTime()).toBe(100)
  vi.advanceTimersByTime(1_000)
  report(100, 162)
  expect(await readTime()).toBe(162)
  report(163, 162)
  expect(await readTime()).toBe(163)
})

it('a stalled node is read while no other answers', async () => {
  const { readTime, report } = chainWith(100, 101)
  await readTime()
  vi.advanceTimersByTime(61_000)
  report(100, 162)
  expect(await readTime()).toBe(162)
  report(100, null)
  expect(await readTime()).toBe(100)
})

it('a stalled chain has the time of the node configured first', async () => {
  const { readTime } = chainWith(100, 101)
  await readTime()
  vi.advanceTimersByTime(600_000)
  expect(await readTime()).toBe(100)
})

it('one of three nodes doesn’t choose the block, even if it invents some while the chain has stalled', async () => {
  const { readTime, report } = chainWith(100, 100, 100)
  await readTime()
  vi.advanceTimersByTime(600_000)
  report(999, 100, 100)
  expect(await readTime()).toBe(100)
})
