import { BaseError, encodeFunctionData, type Hex, type PublicClient, zeroAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { buildVaultMessage } from '../../../core/order/enclaveVaultMessages.ts'
import { createQueryAllProviders } from '../../../services/chain/transactions/queryAllProviders.ts'
import type { WakeSilentChain } from '../../../services/chain/transactions/silentChainWaker.ts'
import type { Transaction } from '../../../services/chain/transactions/transactionRow.ts'
import { EnclaveError } from '../../../services/enclave/enclaveError.ts'
import {
  encodeCloseCall,
  isDue,
  judgeEarlierCall,
  takeOrderSteps,
} from '../../../services/orders/execution/takeOrderSteps.ts'
import { createFoldedOrders } from '../../../services/orders/follow/foldedOrders.ts'
import type { OrdersContext, ServedChain, Step } from '../../../services/orders/ordersContext.ts'
import { orderVaultAbi } from '../../../src/event/abi/orderVault.ts'
import { createFakeDatabase } from '../../rig/fakeDatabase.ts'
import { closed, fired, funded, ORDER, START } from './orderCase.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }))
afterEach(() => void vi.useRealTimers())

test('an order’s next step doesn’t wait for hours when the machine’s clock goes back', async () => {
  const book = createFoldedOrders()
  book.apply(funded())
  const [order] = [...book.all()]
  const steps = new Map<Hex, Step>()
  // The ledger halts its token, so the step is only noted.
  const chain = { steps, halted: new Set([order!.facts.tokenA]) } as never as ServedChain
  const settings = { now: () => START, unpaidGas: 0n, unpaidGasOfAll: 0n }
  const account = `0x${'5e'.repeat(20)}`
  const context = { account, settings, wakeSilentChain: async () => {} } as never as OrdersContext
  const head = { number: 9, hash: '0x09', timestamp: START } as const
  await takeOrderSteps(context, chain, { book, head })
  expect(steps.size).toBe(1)
  expect(isDue(chain, order!, START)).toBe(false)
  vi.advanceTimersByTime(1_500)
  vi.setSystemTime(Date.now() - 3_600_000)
  expect(isDue(chain, order!, START)).toBe(true)
  // A closed order has no problem any more.
  book.apply(closed(3_500n, 2, START + 1))
  await takeOrderSteps(context, chain, { book, head })
  expect(steps.size).toBe(0)
})

test('an order of a halted token is still closed at its end, so that its owner gets the rest back', async () => {
  const book = createFoldedOrders()
  book.apply(funded())
  const [order] = [...book.all()]
  let proofs = 0
  const prove = async () => {
    proofs += 1
    throw new Error('no node answers')
  }
  const chain = {
    steps: new Map(),
    halted: new Set([order!.facts.tokenA]),
    storage: { prove },
    config: { confirmations: 0 },
  } as never as ServedChain
  const context = {
    account: `0x${'5e'.repeat(20)}`,
    settings: { now: () => START, unpaidGas: 0n, unpaidGasOfAll: 0n },
    wakeSilentChain: async () => {},
    db: createFakeDatabase(),
    events: { stepFailed() {} },
  } as never as OrdersContext
  const at = (timestamp: number) => ({
    book,
    head: { number: 9, hash: '0x09', timestamp } as const,
  })
  await takeOrderSteps(context, chain, at(START))
  expect(proofs).toBe(0)
  vi.advanceTimersByTime(1_500)
  await takeOrderSteps(context, chain, at(START + 600))
  expect(proofs).toBe(1)
})

test('a silent chain is asked for the block in which the next step comes due, and for no other', async () => {
  const book = createFoldedOrders()
  book.apply(funded())
  const dueBy: [number, boolean | Promise<boolean>][] = []
  const wakeSilentChain: WakeSilentChain = async (_, isDue) => {
    for (const clock of [START - 1, START]) dueBy.push([clock, isDue(clock)])
  }
  const settings = { now: () => START, unpaidGas: 0n, unpaidGasOfAll: 0n }
  const chain = { steps: new Map(), halted: new Set() } as never as ServedChain
  const account = `0x${'5e'.repeat(20)}`
  const context = { account, settings, wakeSilentChain } as never as OrdersContext
  const head = { number: 9, hash: '0x09', timestamp: START - 400 } as const
  await takeOrderSteps(context, chain, { book, head })
  expect(dueBy).toEqual([
    [START - 1, false],
    [START, true],
  ])
})

test('a step that is due already, or of a halted token, wakes no silent chain', async () => {
  const book = createFoldedOrders()
  book.apply(funded())
  const dueBy = async (timestamp: number, halted: Hex[]) => {
    let answer: unknown
    const wakeSilentChain: WakeSilentChain = async (_, isDue) => {
      answer = isDue(START + 10)
    }
    const settings = { now: () => START, unpaidGas: 0n, unpaidGasOfAll: 0n }
    const chain = { steps: new Map(), halted: new Set(halted) } as never as ServedChain
    const account = `0x${'5e'.repeat(20)}`
    const context = { account, settings, wakeSilentChain } as never as OrdersContext
    const head = { number: 9, hash: '0x09', timestamp } as const
    // Only what the chain is woken for is asked here: this context can't take a step.
    await takeOrderSteps(context, chain, { book, head }).catch(() => {})
    return answer
  }
  const [order] = [...book.all()]
  expect(await dueBy(START - 1, [])).toBe(true)
  expect(await dueBy(START, [])).toBe(false)
  expect(await dueBy(START - 1, [order!.facts.tokenA])).toBe(false)
})

test('a step is due from its time on, and never for a closed order', () => {
  const book = createFoldedOrders()
  book.apply(funded())
  const chain = { steps: new Map() } as never as ServedChain
  const [order] = [...book.all()]
  expect([START - 1, START].map((now) => isDue(chain, order!, now))).toEqual([false, true])
  book.apply(closed(5_000n, 0, START + 1))
  const [over] = [...book.all()]
  expect(isDue(chain, over!, START + 1_000)).toBe(false)
})

/** When a row changed: this many seconds after the order's start, which is now. */
const at = (seconds: number) => new Date((START + seconds) * 1_000)

test.each<[string, Partial<Transaction> | null, string | null | undefined, object | null]>([
  ['that was never requested is requested', null, undefined, null],
  [
    'under way is waited for, with what it waits for',
    { state: 'chosen', problem: 'OUT_OF_GAS' },
    null,
    { problem: 'OUT_OF_GAS', isOver: false },
  ],
  [
    'that happened in a block not yet read is waited for',
    { state: 'confirmed', succeeded: true, blockNumber: 8, changedAt: at(-3_599) },
    null,
    { problem: null, isOver: false },
  ],
  [
    'in a block that nobody has read for an hour is requested again',
    { state: 'confirmed', succeeded: true, blockNumber: 8, changedAt: at(-3_600) },
    null,
    null,
  ],
  ...[at(3_600), Number.POSITIVE_INFINITY as never].map(
    (changedAt): [string, Partial<Transaction>, null, null] => [
      'in a block not yet read is requested again if the row is dated in the future',
      { state: 'confirmed', succeeded: true, blockNumber: 8, changedAt },
      null,
      null,
    ],
  ),
  [
    'that a read block had and a reorg took back is requested again',
    { state: 'confirmed', succeeded: true, blockNumber: 7, changedAt: at(0) },
    null,
    null,
  ],
  [
    'that failed is reported',
    { state: 'failed', problem: 'X', changedAt: at(0) },
    null,
    { problem: 'X', isOver: true },
  ],
  [
    'that failed and was reported is requested again',
    { state: 'failed', problem: 'X', changedAt: at(0) },
    'X',
    null,
  ],
])('a step %s', (_, previous, problem, state) => {
  const step = problem === undefined ? undefined : { problem }
  expect(judgeEarlierCall(previous as Transaction | null, 7, step, START)).toEqual(state)
})

test('a step that keeps failing is retried less and less often, up to five minutes; the next one at once', async () => {
  const book = createFoldedOrders()
  book.apply(funded())
  const steps = new Map<Hex, Step>()
  const signTranche = async () => {
    throw new Error('no enclave')
  }
  const chain = { steps, halted: new Set(), chainId: 1 } as never as ServedChain
  const context = {
    account: `0x${'5e'.repeat(20)}`,
    settings: { now: () => START, unpaidGas: 10n ** 9n, unpaidGasOfAll: 10n ** 9n },
    wakeSilentChain: async () => {},
    // Nothing was requested earlier.
    db: createFakeDatabase(),
    enclaves: [{ signTranche }],
    events: { stepFailed() {} },
  } as never as OrdersContext
  const fail = async (timestamp: number) => {
    const head = { number: 9, hash: '0x09', timestamp } as const
    await takeOrderSteps(context, chain, { book, head })
    const wait = steps.get(ORDER)!.checkAt - performance.now()
    vi.advanceTimersByTime(wait)
    return wait / 1_000
  }
  const waits: number[] = []
  for (let times = 0; times < 9; times++) waits.push(await fail(START))
  expect(waits).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 300])
  book.apply(fired(0, START))
  expect(await fail(START + 60)).toBe(2)
})

test('a proof by which enclaves sign no closing has another node asked next', async () => {
  const book = createFoldedOrders()
  book.apply(funded())
  const evidence = { accountProof: ['0x01'] }
  const doubted: unknown[] = []
  const chain = {
    ...{ steps: new Map(), halted: new Set(), chainId: 1, config: { confirmations: 1 } },
    storage: {
      prove: async () => ({ evidence }),
      doubt: (one: unknown) => doubted.push(one),
    },
  } as never as ServedChain
  const signClose = async () => {
    throw new EnclaveError('EVIDENCE_INVALID', 'proof')
  }
  const context = {
    account: `0x${'5e'.repeat(20)}`,
    settings: { now: () => START, unpaidGas: 0n, unpaidGasOfAll: 0n },
    wakeSilentChain: async () => {},
    db: createFakeDatabase(),
    enclaves: [{ signClose }],
    events: { stepFailed() {} },
  } as never as OrdersContext
  const head = { number: 9, hash: '0x09', timestamp: START + 10 ** 9 } as const
  await takeOrderSteps(context, chain, { book, head })
  expect(doubted).toEqual([evidence])
})

const VAULT: Hex = `0x${'aa'.repeat(20)}`
const CANCEL = encodeCloseCall(ORDER, ['0x01'])
const VIEW = encodeFunctionData({ abi: orderVaultAbi, functionName: 'getOrder', args: [ORDER] })
const retired = privateKeyToAccount(`0x${'01'.repeat(32)}`)
const stranger = privateKeyToAccount(`0x${'02'.repeat(32)}`)
const CLOSE = buildVaultMessage({ chainId: 1, vault: VAULT }, 'CloseOrder', { orderId: ORDER })
const RETIRED_CANCEL = encodeCloseCall(ORDER, [await retired.signTypedData(CLOSE)])
const STRANGERS_CANCEL = encodeCloseCall(ORDER, [await stranger.signTypedData(CLOSE)])
const LATER = { state: 'confirmed', succeeded: true, blockNumber: 12 } as const

test.each<[string, Partial<Transaction>, boolean, string]>([
  ['waits', { state: 'sent' }, true, 'nothing'],
  ['is in a block that isn’t read yet', { ...LATER, changedAt: at(0) }, true, 'nothing'],
  ['has failed', { state: 'failed' }, true, 'cancel'],
  ['has failed, since the order is closed', { state: 'failed' }, false, 'tranche'],
  ['was in a block that the chain doesn’t have', { ...LATER, blockNumber: 8 }, true, 'cancel'],
  ['is in a block that nobody reads', { ...LATER, changedAt: at(-3_600) }, true, 'cancel'],
  // Only its owner can have an enclave sign it again: until then nothing of the order is spent.
  [
    'was signed by a key that has been retired since',
    { state: 'failed', data: RETIRED_CANCEL },
    false,
    'nothing',
  ],
  // Somebody wrote these: the vault accepts any view, and the order would never be fired again.
  ['is another call that has failed', { state: 'failed', data: VIEW }, true, 'tranche'],
  ['is another call that waits', { state: 'sent', data: VIEW }, true, 'tranche'],
  ['is signed by no enclave', { state: 'failed', data: STRANGERS_CANCEL }, false, 'tranche'],
  ['is another order’s', { data: encodeCloseCall(`0x${'0f'.repeat(32)}`, []) }, true, 'tranche'],
])('if an order’s cancel %s', async (_, row, isAccepted, next) => {
  const book = createFoldedOrders()
  book.apply(funded())
  const account: Hex = `0x${'5e'.repeat(20)}`
  const closing = { account, to: VAULT, value: 0n, data: CANCEL, state: 'failed', ...row }
  let requested = 'nothing'
  const db = createFakeDatabase(({ sql, parameters }) => {
    if (sql.includes('update app.transaction')) requested = 'cancel'
    return sql.includes('select') && parameters.includes('closeOrder') ? [closing] : []
  })
  const signTranche = async () => {
    requested = 'tranche'
    throw new Error('no enclave')
  }
  const call = async () => {
    if (!isAccepted) throw new BaseError('execution reverted')
  }
  const readContract = async ({ functionName, args }: { functionName: string; args: Hex[] }) => {
    if (functionName === 'REGISTRY') return VAULT
    return { operator: args[0] === retired.address.toLowerCase() ? VAULT : zeroAddress }
  }
  const node = { call, readContract } as never as PublicClient
  const nodes = { queryAll: createQueryAllProviders([node]) }
  const chain = {
    ...{ steps: new Map(), halted: new Set(), chainId: 1, vault: VAULT, nodes },
  } as never as ServedChain
  const context = {
    ...{ account, db, enclaves: [{ signTranche }], wakeSilentChain: async () => {} },
    settings: { now: () => START, unpaidGas: 10n ** 9n, unpaidGasOfAll: 10n ** 9n },
    events: { stepFailed() {}, requested() {} },
  } as never as OrdersContext
  const head = { number: 9, hash: '0x09', timestamp: START } as const
  await takeOrderSteps(context, chain, { book, head })
  expect(requested).toBe(next)
})
