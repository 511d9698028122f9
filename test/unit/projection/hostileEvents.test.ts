import { describe, expect, test } from 'vitest'
import { InMemoryRowStore } from '../../../core/rows/inMemoryRowStore.ts'
import { ProjectionError } from '../../../src/projection/projectionError.ts'
import { appendBlob, createIntent, solve } from './model/bridgeModel.ts'
import { account, emit, type ModelIntent, newChain, passTime } from './model/chainModel.ts'
import { foldRows } from './model/foldRows.ts'
import { CHAIN_A } from './model/randomHistory.ts'

const CLAIM = {
  sourceChainId: 137n,
  paramsHash: account(0x33, 32),
  solver: account(0x99),
  tokenB: account(0x79),
}

const OFFER = {
  sender: account(0x51),
  destChainId: 137,
  tokenA: account(0x71),
  tokenB: account(0x72),
  amountA: 10_000n,
  expectedAmountB: 1_000n,
  reward: 1n,
  duration: 60,
  encryptedBlob: '0x',
} as const

const MAX_UINT256 = 2n ** 256n - 1n
/** The largest number that a `numeric(78,0)` column holds. */
const MAX_NUMERIC = 10n ** 78n - 1n

describe('strangers’ events don’t stop the fold', () => {
  test('repeated deliveries of 2^256 − 1 units of a worthless token', () => {
    const chain = newChain(CHAIN_A)
    for (let intentId = 1n; intentId <= 20n; intentId++) {
      solve(chain, { ...CLAIM, intentId, payments: [{ to: account(0x98), amount: MAX_UINT256 }] })
    }
    const [volume] = foldRows(chain.events).rows('solverVolume')
    expect(volume?.delivered).toBe(MAX_UINT256)
    expect(volume!.delivered <= MAX_NUMERIC).toBe(true)
  })

  test('a worthless token that repeatedly refuses 2^256 − 1 units, and pays more than it received', () => {
    const chain = newChain(CHAIN_A)
    const token = CLAIM.tokenB
    chain.blocked.add(account(0x98))
    for (let intentId = 1n; intentId <= 20n; intentId++) {
      solve(chain, { ...CLAIM, intentId, payments: [{ to: account(0x98), amount: MAX_UINT256 }] })
    }
    const key = { chainId: CHAIN_A, token }
    const owed = () => foldRows(chain.events).find('escrow', key)?.deliveryCredits
    expect(owed()).toBe(MAX_UINT256)
    const claimed = { owner: account(0x98), token, amount: MAX_UINT256 }
    emit(chain, 'DeliveryClaimed', claimed)
    emit(chain, 'DeliveryClaimed', claimed)
    expect(owed()).toBe(0n)
  })

  test('a source chain id too large for its column: only the event is kept', () => {
    const chain = newChain(CHAIN_A)
    const deployed = chain.events.length
    chain.blocked.add(account(0x98))
    for (const sourceChainId of [0n, 2n ** 53n, 2n ** 63n, 2n ** 192n - 1n]) {
      const payments = [{ to: account(0x98), amount: 1n }]
      solve(chain, { ...CLAIM, intentId: 1n, sourceChainId, payments })
    }
    const store = foldRows(chain.events)
    expect(store.rows('delivery')).toEqual([])
    expect(store.rows('solverRecord')).toEqual([])
    expect(store.rows('escrow')).toMatchObject([{ deliveryCredits: 4n }])
    expect(store.rows('event').slice(deployed)).toHaveLength(8)
    for (const row of store.rows('event')) {
      expect([row.sourceChainId, row.intentId]).toEqual([null, null])
    }
    expect(store.rows('event').at(-2)?.args.sourceChainId).toBe(String(2n ** 192n - 1n))
  })

  test('a stranger’s delivery leaves the source chain’s rows alone', () => {
    const chain = newChain(CHAIN_A)
    createIntent(chain, OFFER)
    const before = foldRows(chain.events)
    const { id: intentId, paramsHash } = chain.intents[0]!
    const payments = [{ to: account(0x98), amount: 9n }]
    solve(chain, { ...CLAIM, sourceChainId: BigInt(CHAIN_A), intentId, paramsHash, payments })
    const after = foldRows(chain.events)
    for (const table of ['intent', 'escrow', 'pairDay', 'bid'] as const) {
      expect(after.rows(table)).toEqual(before.rows(table))
    }
  })

  test('a listed chain id too large for its column is omitted', () => {
    const chain = newChain(CHAIN_A)
    emit(chain, 'DestinationListed', { destChainId: 2n ** 64n - 1n })
    expect(foldRows(chain.events).rows('bridgeDestination')).toEqual([])
  })
})

describe('an append repeated after it no longer counts', () => {
  test('is only an event: the intent doesn’t even appear changed', () => {
    const chain = newChain(CHAIN_A)
    createIntent(chain, OFFER)
    const [intent] = chain.intents as [ModelIntent]
    passTime(chain, 44)
    appendBlob(chain, intent, account(1, 512))
    const before = foldRows(chain.events).rows('intent')
    expect(before).toMatchObject([{ blobCount: 1, blobsHash: intent.blobsHash }])
    for (let repeat = 0; repeat < 3; repeat++) {
      passTime(chain, 1)
      appendBlob(chain, intent, account(1, 512))
    }
    const store = foldRows(chain.events)
    expect(store.rows('intent')).toEqual(before)
    expect(store.rows('event').filter(({ type }) => type === 'BlobAppended')).toHaveLength(4)
  })
})

describe('a history with a gap is refused with what to do', () => {
  test('for a bid without its intent, and a new treasury without its bridge', () => {
    const chain = newChain(CHAIN_A)
    const { point } = chain.events[0]!
    const [address, solver] = [chain.bridge, account(0x61)]
    const bid = { intentId: 1n, solver, amountB: 1n }
    const changed = { previous: solver, current: solver }
    for (const event of [
      { type: 'BidPlaced', address, point, args: bid },
      { type: 'TreasuryChanged', address, point, args: changed },
    ] as const) {
      expect(() => new InMemoryRowStore().fold(event)).toThrow(ProjectionError)
      expect(() => new InMemoryRowStore().fold(event)).toThrow('start block')
    }
  })
})
