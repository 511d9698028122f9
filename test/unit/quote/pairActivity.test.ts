import { expect, test } from 'vitest'
import { createPairActivities, type PairActivity } from '../../../api/rest/quotes/pairActivity.ts'
import { calculatePrices } from '../../../core/quote/calculateQuote.ts'
import type { FeedEvent } from '../../../services/store/changes/changeFeed.ts'
import { manualChangeFeed } from '../store/manualChangeFeed.ts'

const CLOCK: FeedEvent = {
  kind: 'clock',
  clock: { chainId: 1, timestamp: 1, blockNumber: 1, finalizedBlock: 1 },
}

const pairOf = (number: number) => ({
  sourceChainId: 1,
  destChainId: 2,
  tokenB: '0x02' as const,
  tokenA: `0x${number}` as const,
})

/** Readings that end when the test says so. */
function setUp() {
  const { feed, notify } = manualChangeFeed()
  const begun: (() => void)[] = []
  const read = () =>
    new Promise<PairActivity>((resolve) =>
      begun.push(() =>
        resolve({ prices: calculatePrices([]), solversAmong: async () => [], bytes: 0 }),
      ),
    )
  const activities = createPairActivities({} as never, feed, 100_000, read)
  const ask = (number: number) => activities.of(pairOf(number), 0)
  const endAll = () => {
    for (const end of begun.splice(0)) end()
  }
  return { ask, notify, begun, endAll }
}

/** Lets everything run that waits for nothing from outside. */
const turns = () => new Promise((resolve) => setImmediate(resolve))

test('requests for a pair between two changes share one read', async () => {
  const { ask, notify, begun, endAll } = setUp()
  const all = Promise.all(Array.from({ length: 1_000 }, () => ask(1)))
  await turns()
  expect(begun).toHaveLength(1)
  endAll()
  await all
  await ask(1)
  expect(begun).toHaveLength(0)
  notify(CLOCK)
  const again = ask(1)
  await turns()
  expect(begun).toHaveLength(1)
  endAll()
  await again
})

test('two pairs are read at a time, a hundred are queued, and more are refused', async () => {
  const { ask, begun, endAll } = setUp()
  const answers = Array.from({ length: 103 }, (_, number) =>
    ask(number).then(
      () => 'read',
      ({ code }) => code,
    ),
  )
  await turns()
  expect(begun).toHaveLength(2)
  while (begun.length > 0) {
    expect(begun.length).toBeLessThanOrEqual(2)
    endAll()
    await turns()
  }
  const said = await Promise.all(answers)
  expect(said.filter((word) => word === 'read')).toHaveLength(102)
  expect(said.at(-1)).toBe('QUOTES_BUSY')
})
