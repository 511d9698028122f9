import { describe, expect, test } from 'vitest'
import { ProjectionError } from '../../../src/projection/projectionError.ts'
import { RowStore } from '../../../src/projection/rowStore.ts'
import { createIntent, solve } from './model/bridgeModel.ts'
import { account, emit, newChain } from './model/chainModel.ts'
import { foldRows } from './model/foldRows.ts'
import { CHAIN_A } from './model/randomHistory.ts'

const MAX_UINT256 = 2n ** 256n - 1n
/** The largest number that a `numeric(78,0)` column holds. */
const MAX_NUMERIC = 10n ** 78n - 1n

describe('what strangers can write into the history stops nobody', () => {
  test('deliveries of 2^256 − 1 units of a worthless token, again and again', () => {
    const chain = newChain(CHAIN_A)
    for (let intentId = 1n; intentId <= 20n; intentId++) {
      solve(chain, {
        sourceChainId: 137n,
        intentId,
        solver: account(0x99),
        tokenB: account(0x79),
        amountB: MAX_UINT256,
      })
    }
    const [volume] = foldRows(chain.events).rows('solverVolume')
    expect(volume?.delivered).toBe(MAX_UINT256)
    expect(volume!.delivered <= MAX_NUMERIC).toBe(true)
  })

  test('a source chain id that no column holds: the event is kept, nothing else is written', () => {
    const chain = newChain(CHAIN_A)
    const claim = { intentId: 1n, solver: account(0x99), tokenB: account(0x79), amountB: 1n }
    for (const sourceChainId of [0n, 2n ** 53n, 2n ** 63n, 2n ** 192n - 1n]) {
      solve(chain, { ...claim, sourceChainId })
    }
    const store = foldRows(chain.events)
    expect(store.rows('delivery')).toEqual([])
    expect(store.rows('solverRecord')).toEqual([])
    expect(store.rows('event').slice(1)).toHaveLength(4)
    for (const row of store.rows('event')) {
      expect([row.sourceChainId, row.intentId]).toEqual([null, null])
    }
    expect(store.rows('event').at(-1)?.args.sourceChainId).toBe(String(2n ** 192n - 1n))
  })

  test('a stranger’s delivery leaves the source chain’s rows alone', () => {
    const chain = newChain(CHAIN_A)
    createIntent(chain, {
      sender: account(0x51),
      destChainId: 137,
      tokenA: account(0x71),
      tokenB: account(0x72),
      amountA: 1_000n,
      expectedAmountB: 1_000n,
      reward: 1n,
      duration: 60,
      encryptedBlob: '0x',
    })
    const before = foldRows(chain.events)
    const { id: intentId } = chain.intents[0]!
    const solver = account(0x99)
    solve(chain, { sourceChainId: BigInt(CHAIN_A), intentId, solver, tokenB: solver, amountB: 9n })
    const after = foldRows(chain.events)
    for (const table of ['intent', 'escrow', 'pairDay', 'bid'] as const) {
      expect(after.rows(table)).toEqual(before.rows(table))
    }
  })

  test('an allow-listed chain id that no column holds is left out', () => {
    const chain = newChain(CHAIN_A)
    emit(chain, 'DestinationListed', { destChainId: 2n ** 64n - 1n })
    expect(foldRows(chain.events).rows('bridgeDestination')).toEqual([])
  })
})

describe('a history with a hole is refused, and says what to do', () => {
  test('an intent without its bridge, a bid without its intent, a rotation without its bridge', () => {
    const chain = newChain(CHAIN_A)
    const { point } = chain.events[0]!
    const [address, solver] = [chain.bridge, account(0x61)]
    const bid = { intentId: 1n, solver, amountB: 1n }
    const rotated = { previous: solver, current: solver }
    for (const event of [
      { type: 'BidPlaced', address, point, args: bid },
      { type: 'RelayerRotated', address, point, args: rotated },
    ] as const) {
      expect(() => new RowStore().fold(event)).toThrow(ProjectionError)
      expect(() => new RowStore().fold(event)).toThrow('start block')
    }
  })
})
