import { ContractFunctionRevertedError, encodeErrorResult, type Hex, type PublicClient } from 'viem'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { ChainNodes } from '../../../services/chain/transactions/chainNodes.ts'
import { createQueryAllProviders } from '../../../services/chain/transactions/queryAllProviders.ts'
import type { Transaction } from '../../../services/chain/transactions/transactionRow.ts'
import { EnclaveError } from '../../../services/enclave/enclaveError.ts'
import {
  awaitOrderState,
  requestReload,
} from '../../../services/orders/execution/awaitOrderState.ts'
import {
  chooseFundingDeadline,
  FUNDING_SECONDS,
} from '../../../services/orders/execution/chooseFundingDeadline.ts'
import {
  createFundingPendingError,
  createNotFundedError,
} from '../../../services/orders/execution/fundingErrors.ts'
import { queryVault } from '../../../services/orders/execution/queryVault.ts'
import { throwEnclaveProblem } from '../../../services/orders/execution/throwEnclaveProblem.ts'
import { createFoldedOrders } from '../../../services/orders/follow/foldedOrders.ts'
import type { OrdersContext, ServedChain } from '../../../services/orders/ordersContext.ts'
import { orderVaultAbi as abi } from '../../../src/event/abi/orderVault.ts'
import { funded, ORDER } from './orderCase.ts'

const NOW = 1_800_000_000

/** A chain whose latest block is of this time; null: no node answers. */
function chainAt(timestamp: number | null, wasRead = true, isFunded = false) {
  const book = createFoldedOrders()
  if (isFunded) book.apply(funded())
  const snapshot = timestamp && { book, head: { number: 7, hash: '0x07' as const, timestamp } }
  let reads = 0
  const follower = {
    latest: () => (wasRead && snapshot ? snapshot : null),
    async refresh() {
      reads += 1
      if (!snapshot) throw new Error('no node answers')
      return snapshot
    },
  }
  return { follower, reads: () => reads }
}

describe('the deadline of a funding', () => {
  const wake = async () => {}
  test('goes by the chain’s time if it lags behind the clock', async () => {
    const { follower } = chainAt(NOW - 100)
    expect(await chooseFundingDeadline(follower, NOW, wake)).toBe(NOW - 100 + FUNDING_SECONDS)
  })
  test('goes by the clock if the chain’s time is ahead', async () => {
    expect(await chooseFundingDeadline(chainAt(NOW + 9).follower, NOW, wake)).toBe(
      NOW + FUNDING_SECONDS,
    )
  })
  test('makes a service that has just started read the chain first', async () => {
    const { follower, reads } = chainAt(NOW - 100, false)
    expect(await chooseFundingDeadline(follower, NOW, wake)).toBe(NOW - 100 + FUNDING_SECONDS)
    expect(reads()).toBe(1)
  })
  test.each([
    ['can’t be read', null, 'RPC_UNREACHABLE'],
    ['is ten minutes behind the clock', NOW - FUNDING_SECONDS, 'CLOCKS_DIFFER'],
  ])('is refused temporarily on a chain that %s', async (_, timestamp, code) => {
    const { follower } = chainAt(timestamp, false)
    await expect(chooseFundingDeadline(follower, NOW, wake)).rejects.toMatchObject({ code })
  })
  test('has a chain whose latest block is too old produce another, if it is silent', async () => {
    const woken: unknown[] = []
    const wakeIt = async (head: unknown) => void woken.push(head)
    await chooseFundingDeadline(chainAt(NOW - 100).follower, NOW, wakeIt)
    expect(woken).toEqual([])
    const asked = chooseFundingDeadline(chainAt(NOW - FUNDING_SECONDS).follower, NOW, wakeIt)
    await expect(asked).rejects.toMatchObject({ code: 'CLOCKS_DIFFER' })
    expect(woken).toEqual([{ number: 7, hash: '0x07', timestamp: NOW - FUNDING_SECONDS }])
  })
  test.each<[string, Hex]>([
    ['lapsed', encodeErrorResult({ abi, errorName: 'RequestLapsed', args: [1n] })],
    ['too far', encodeErrorResult({ abi, errorName: 'DeadlineTooFar', args: [2n, 1n] })],
  ])('that the vault rejects as %s refuses no order for good', async (_, data) => {
    const revert = new ContractFunctionRevertedError({ abi, data, functionName: 'fundOrder' })
    const nodes = { queryAll: createQueryAllProviders([{} as PublicClient]) } as ChainNodes
    const asked = queryVault({ nodes }, () => Promise.reject(revert), String)
    await expect(asked).rejects.toMatchObject({ code: 'CLOCKS_DIFFER' })
  })
  test('that an enclave rejects shows a wrong clock, and blames no ciphertext', () => {
    const refused = new EnclaveError('REQUEST_INVALID', 'deadline')
    const thrown = () => throwEnclaveProblem(refused)
    expect(thrown).toThrow(expect.objectContaining({ code: 'CLOCKS_DIFFER' }))
  })
})

describe('a funding', () => {
  const mined = { state: 'mined', succeeded: false, txHash: '0x0a' } as unknown as Transaction
  const wait = async (transaction: Transaction, isFunded: boolean, isReached = () => true) => {
    const { follower, reads } = chainAt(NOW, true, isFunded)
    const feed = { awaitTransaction: async () => transaction }
    const context = { feed, settings: { timeoutMs: 0 } } as unknown as OrdersContext
    const chain = { follower } as unknown as ServedChain
    return { ...(await awaitOrderState(context, chain, 1, ORDER, isReached)), reads: reads() }
  }

  test('that reverted in a block is reported at once as pending, since it may succeed after a reorg', async () => {
    const { order, transaction, reads } = await wait(mined, false)
    expect([order, reads]).toEqual([null, 1])
    expect(createFundingPendingError(ORDER, transaction)).toMatchObject({
      code: 'FUNDING_PENDING',
      details: { reason: 'reverted', txHash: '0x0a' },
    })
    const hidden = createFundingPendingError(ORDER, { ...mined, succeeded: true })
    expect(hidden.details).toEqual({ orderId: ORDER })
  })

  test.each<[string, Partial<Transaction> | null, string]>([
    ['is requested', { state: 'chosen', problem: null }, 'FUNDING_PENDING'],
    ['waits for gas', { state: 'chosen', problem: 'OUT_OF_GAS' }, 'OUT_OF_GAS'],
    // As a final refusal it would make the owner place a second order, which a reorg could fund too.
    ['has reverted in a recent block', { state: 'mined', succeeded: false }, 'FUNDING_PENDING'],
    ['has failed', { state: 'failed', succeeded: false }, 'FUNDING_FAILED'],
    // An earlier gas account's may still be mined, or succeed in another block.
    ['nobody sends any more', { state: 'failed', problem: 'FORMER_ACCOUNT' }, 'FUNDING_PENDING'],
    ['has vanished', null, 'FUNDING_PENDING'],
  ])('that %s is refused for good only if it failed for good', (_, transaction, code) => {
    expect(createNotFundedError(ORDER, transaction as Transaction | null).code).toBe(code)
  })

  test('that reverted because another had funded the order returns the order', async () => {
    expect((await wait(mined, true)).order?.facts.orderId).toBe(ORDER)
  })
  test('returns no order in another state than is awaited', async () => {
    expect((await wait(mined, true, () => false)).order).toBeNull()
  })

  test('that a node keeps hiding causes one reload, however many requests there are', async () => {
    let reloads = 0
    const { follower } = chainAt(NOW)
    const reloading = { ...follower, requestReload: () => (reloads += 1) }
    const transaction = { state: 'confirmed', succeeded: true, blockNumber: 1 }
    const feed = { awaitTransaction: async () => transaction }
    const settings = { timeoutMs: 0, reloadEveryMs: 600_000 }
    const context = { feed, settings } as unknown as OrdersContext
    const chain = { follower: reloading, config: { confirmations: 2 } } as unknown as ServedChain
    const ask = () => awaitOrderState(context, chain, 1, ORDER, () => true)
    await Promise.all([ask(), ask(), ask()])
    expect(reloads).toBe(1)
  })

  test('that a node keeps hiding causes reloads less and less often, until none was needed for a day', () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const MINUTE = 60_000
    let reloads = 0
    const follower = { requestReload: () => (reloads += 1) }
    const reloadsAfter = (minutes: number) => {
      vi.advanceTimersByTime(minutes * MINUTE)
      requestReload(follower, 10 * MINUTE)
      return reloads
    }
    expect([
      reloadsAfter(0),
      reloadsAfter(9),
      reloadsAfter(1),
      reloadsAfter(19),
      reloadsAfter(1),
      reloadsAfter(39),
      reloadsAfter(1),
    ]).toEqual([1, 1, 2, 2, 3, 3, 4])
    expect([reloadsAfter(80 + 24 * 60), reloadsAfter(10), reloadsAfter(10)]).toEqual([5, 6, 6])
  })
})
