import { type Hex, hexToNumber, numberToHex, RpcRequestError } from 'viem'
import { expect, test } from 'vitest'
import { readRecentLogs } from '../../../services/solver/chain/readRecentLogs.ts'

const HEAD = 100_000
const BRIDGE = `0x${'b1'.repeat(20)}` as const
const TOPIC = `0x${'c1'.repeat(32)}` as const

/** What OP Stack chains' hosts say when a node needs too long for as many blocks. */
const tooSlow = new RpcRequestError({
  body: {},
  url: 'http://node',
  error: { code: -32_011, message: 'no backends available for method' },
})

/** A chain that is an hour and more old, with one log, and blocks that take this many seconds. */
function chainWith(blockSeconds: number, logAt: number, mostBlocks = Number.POSITIVE_INFINITY) {
  const log = {
    ...{ address: BRIDGE, topics: [TOPIC], data: '0x', logIndex: '0x0', removed: false },
    ...{ blockNumber: numberToHex(logAt), blockHash: `0x${'d1'.repeat(32)}` },
    ...{ transactionHash: `0x${'e1'.repeat(32)}`, transactionIndex: '0x0' },
  }
  let asked = 0
  let lowest = HEAD
  const client = {
    getBlockNumber: async () => BigInt(HEAD),
    getBlock: async ({ blockNumber }: { blockNumber: bigint }) => {
      asked += 1
      return { timestamp: BigInt(Math.floor(Number(blockNumber) * blockSeconds)) }
    },
    request: async ({ method, params: [first] }: { method: string; params: unknown[] }) => {
      if (method === 'eth_getBlockByNumber')
        return { number: first, hash: `0x${'d1'.repeat(32)}`, timestamp: '0x1' }
      const { fromBlock, toBlock } = first as { fromBlock: Hex; toBlock: Hex }
      if (hexToNumber(toBlock) - hexToNumber(fromBlock) >= mostBlocks) throw tooSlow
      lowest = Math.min(lowest, hexToNumber(fromBlock))
      return hexToNumber(fromBlock) <= logAt && logAt <= hexToNumber(toBlock) ? [log] : []
    },
  }
  const since = HEAD * blockSeconds - 3_600
  return {
    find: async () =>
      (await readRecentLogs({ client, bridge: BRIDGE } as never, [TOPIC], since)).length,
    asked: () => asked,
    depth: () => HEAD - lowest,
  }
}

test.each([
  0.25, 1, 2, 12,
])('what was revealed three quarters of an hour ago is found, with a block every %s s', async (blockSeconds) => {
  const { find, asked, depth } = chainWith(blockSeconds, HEAD - Math.floor(2_700 / blockSeconds))
  expect(await find()).toBe(1)
  expect(asked()).toBeLessThanOrEqual(3)
  expect(depth()).toBeLessThanOrEqual(Math.max(5_000, (2 * 3_600) / blockSeconds))
})

test('a young chain is read from its beginning', async () => {
  const { find } = chainWith(0.001, 1)
  expect(await find()).toBe(1)
})

test('a node that needs too long for many blocks is asked for fewer', async () => {
  const { find } = chainWith(2, HEAD - 1_350, 100)
  expect(await find()).toBe(1)
})
