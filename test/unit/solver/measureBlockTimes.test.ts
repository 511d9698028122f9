import { expect, test } from 'vitest'
import { hasChainStalled } from '../../../services/chain/hasChainStalled.ts'
import { measureBlockTimes } from '../../../services/solver/chain/measureBlockTimes.ts'

const HEAD = 1_000n

/** Measures a chain with a block every two seconds that had none for an hour, so many blocks ago. */
function measureAfterOutage(blocksAgo: bigint) {
  const timeOf = (block: bigint) => 2n * block + (block > HEAD - blocksAgo ? 3_600n : 0n)
  const getBlock = async ({ blockNumber }: { blockNumber: bigint }) => ({
    number: blockNumber,
    timestamp: timeOf(blockNumber),
  })
  const head = { number: HEAD, timestamp: timeOf(HEAD) }
  return measureBlockTimes({ client: { getBlock } } as never, head)
}

test.each([
  1n,
  4n,
  16n,
  17n,
])('an outage that ended %d blocks ago changes no block time', async (ago) => {
  const times = await measureAfterOutage(ago)
  expect(times).toEqual({ shortest: 2, median: 2 })
  // The next one is noticed as soon.
  expect(hasChainStalled(301, times.median)).toBe(true)
})
