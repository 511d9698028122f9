import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createQueryAllProviders } from '../../../services/chain/transactions/queryAllProviders.ts'
import type { SolverChain } from '../../../services/solver/chain/solverChain.ts'
import { takeSnapshot } from '../../../services/solver/chain/takeSnapshot.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

/** A chain whose latest block and whose account's coins the test sets. */
function chainWith(head: { number: bigint; hash: string }, coins: { native: bigint }) {
  const client = {
    getBlock: async () => ({ ...head, timestamp: head.number, baseFeePerGas: 1n }),
    multicall: async ({ contracts }: { contracts: { functionName: string }[] }) =>
      contracts.map(({ functionName }) => ({
        result: functionName === 'getEthBalance' ? coins.native : [0n, 0n],
      })),
  }
  const nodes = [{ name: 'node', operator: 'node', client }]
  return {
    chainId: 1,
    confirmations: 1,
    client,
    nodes,
    queryAll: createQueryAllProviders(nodes),
    heads: new Map(),
    tip: null,
    latest: null,
    priorityFees: async () => ({ standard: 1n, replacement: 1n }),
    terms: async () => ({ pickupWindow: 30, executionWindow: 3_600 }),
    blockTimes: async () => ({ shortest: 1, median: 1 }),
  }
}

async function nativeCoins(chain: ReturnType<typeof chainWith>): Promise<bigint | undefined> {
  const { chains } = await takeSnapshot({
    chains: [chain as never as SolverChain],
    account: '0x1111111111111111111111111111111111111111',
    sealingKey: { x: 1n, y: 1n },
    tokens: new Map(),
    intents: [],
    transactions: [],
    onTrouble: (_, error) => expect.fail(String(error)),
  })
  return chains.get(1)?.native
}

it('funds are read once for a block, and again for the next, for another at its height, and after ten seconds', async () => {
  const [head, coins] = [{ number: 5n, hash: '0xa' }, { native: 1n }]
  const chain = chainWith(head, coins)
  expect(await nativeCoins(chain)).toBe(1n)
  coins.native = 2n
  expect(await nativeCoins(chain)).toBe(1n)
  head.hash = '0xb'
  expect(await nativeCoins(chain)).toBe(2n)
  coins.native = 3n
  head.number = 6n
  head.hash = '0xc'
  expect(await nativeCoins(chain)).toBe(3n)
  coins.native = 4n
  vi.advanceTimersByTime(9_999)
  expect(await nativeCoins(chain)).toBe(3n)
  vi.advanceTimersByTime(1)
  expect(await nativeCoins(chain)).toBe(4n)
})
