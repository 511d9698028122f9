import { type PublicClient, toHex } from 'viem'
import { expect, test } from 'vitest'
import type { OrderState } from '../../../core/order/orderState.ts'
import type { VaultOrder } from '../../../sdk/orders/vaultCalls.ts'
import { createQueryAllProviders } from '../../../services/chain/transactions/queryAllProviders.ts'
import type { ChainConfig } from '../../../services/config/chainConfig.ts'
import { checkVaultLedger } from '../../../services/orders/checkVaultLedger.ts'
import {
  createFoldedOrders,
  type FoldedOrders,
} from '../../../services/orders/follow/foldedOrders.ts'
import { describeRecord, matchesRecord } from '../../../services/orders/vaultRecord.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { createFakeDatabase } from '../../rig/fakeDatabase.ts'
import {
  closed,
  fired,
  funded,
  ORDER,
  OWNER,
  PER_PERIOD,
  START,
  stateOf,
  TOKEN as TOKEN_A,
} from './orderCase.ts'

const TOKEN = '0x00000000000000000000000000000000000000bb'
const CREDITS = new Map([[TOKEN, 100n]])

/**
 * Checks a vault whose nodes answer with these records of its orders and, all of them, with this balance.
 *
 * @param copied what the copied events have as an ended order's ciphertext
 * @param configured tokens of the chain's configuration
 */
function startChecks(
  order: OrderState | null,
  stored: readonly VaultOrder[] = [],
  copied?: Hex,
  configured: ChainConfig['tokens'] = {},
) {
  const db = createFakeDatabase(() => (copied ? [{ found: copied }] : []))
  let balance = 100n
  const clients = (stored.length > 0 ? stored : [null]).map((record) => {
    const readContract = async () => record
    const call = async () => ({ data: toHex(balance, { size: 32 }) })
    return { readContract, call } as unknown as PublicClient
  })
  const nodes = { queryAll: createQueryAllProviders(clients) }
  const halted = new Set<string>()
  const said: string[] = []
  const events = {
    shortfall: () => said.push('shortfall'),
    shortfallResolved: () => said.push('resolved'),
  }
  const book = { page: () => (order ? [order] : []), left: () => new Map(), credits: () => CREDITS }
  const config = { tokens: configured }
  const snapshot = { book, head: { number: 7 } }
  const follower = { refresh: async () => snapshot }
  const chain = { name: 'base', vault: TOKEN, nodes, halted, config, follower }
  return {
    halted,
    said,
    check(held = 100n) {
      balance = held
      return checkVaultLedger({ db, events } as never, chain as never, snapshot as never, 0)
    },
  }
}

test('a token is halted while the vault holds less than it owes, and no longer', async () => {
  const { check, halted, said } = startChecks(null)
  const isHalted: boolean[] = []
  for (const held of [100n, 99n, 99n, 100n, 101n]) {
    await check(held)
    isHalted.push(halted.has(TOKEN))
  }
  expect(isHalted).toEqual([false, true, true, false, false])
  expect(said).toEqual(['shortfall', 'shortfall', 'resolved'])
})

/**
 * Checks a vault with one order, of which 2,500 are left, at block 7.
 *
 * @param balanceAt what its node shows at a block
 */
function checkBlock(balanceAt: (block: bigint, base: FoldedOrders) => bigint) {
  const base = createFoldedOrders()
  for (const event of [funded(), fired(0, START)]) base.apply(event)
  const later = createFoldedOrders(base)
  later.apply(fired(1, START + 60))
  const call = async ({ blockNumber }: { blockNumber: bigint }) => ({
    data: toHex(balanceAt(blockNumber, base), { size: 32 }),
  })
  const client = { call, readContract: async () => RECORD } as unknown as PublicClient
  const chain = {
    ...{ name: 'base', vault: TOKEN, halted: new Set(), config: {} },
    nodes: { queryAll: createQueryAllProviders([client]) },
    follower: { refresh: async () => ({ book: later, head: { number: 8 } }) },
  }
  const db = createFakeDatabase(() => [])
  const events = { shortfall: () => expect.fail('a shortfall') }
  const snapshot = { book: createFoldedOrders(base), head: { number: 7 } }
  return checkVaultLedger({ db, events } as never, chain as never, snapshot as never, 0)
}

test('balances of a later block than was requested are no shortfall', async () => {
  const { blockNumber, tokens } = await checkBlock(() => 1_500n)
  expect(blockNumber).toBe(8)
  expect(tokens).toMatchObject([{ left: 1_500n, balance: 1_500n }])
})

test('orders are compared as they were at the block, although later ones become final meanwhile', async () => {
  const report = await checkBlock((_, base) => {
    base.apply(closed(2_500n, 2, START + 1))
    return 2_500n
  })
  expect(report).toMatchObject({ blockNumber: 7, contradicted: [] })
})

test('a configured token of which no order was read is listed only if the vault holds some of it', async () => {
  const tokens = { ZEN: { address: `0x${'7E'.repeat(20)}` as Hex, decimals: 18 } }
  const { check } = startChecks(null, [], undefined, tokens)
  const listed = async (held: bigint) => (await check(held)).tokens.map(({ token }) => token)
  expect(await listed(5n)).toEqual([TOKEN, `0x${'7e'.repeat(20)}`])
  expect(await listed(0n)).toEqual([TOKEN])
})

/** What the vault has stored of an order with one tranche fired. */
const RECORD: VaultOrder = {
  ...{ owner: OWNER, token: TOKEN_A, destChainId: 2651420n, tokenB: TOKEN_A, expectedAmountB: 5n },
  ...{ amountPerPeriod: PER_PERIOD, period: 60n, firstAt: BigInt(START) },
  ...{ endTime: BigInt(START + 600), lastFiredAt: BigInt(START), quorum: 1 },
  ...{ left: 2_500n, fired: 1n, closed: false },
}

test('an order contradicts the vault’s record if any field differs, and two records that differ have two descriptions', () => {
  const running = stateOf(funded(), fired(0, START)).facts
  const ended = stateOf(funded(), fired(0, START), closed(2_500n, 2, START + 1)).facts
  expect(matchesRecord(running, RECORD)).toBe(true)
  expect(matchesRecord(ended, { ...RECORD, left: 0n, closed: true })).toBe(true)
  expect(matchesRecord(stateOf(funded()).facts, { ...RECORD, ...UNFIRED })).toBe(true)
  for (const [name, value] of Object.entries(RECORD)) {
    const other = typeof value === 'string' ? ORDER : typeof value === 'boolean' ? !value : 7n
    const changed = { ...RECORD, [name]: other }
    expect([name, matchesRecord(running, changed)]).toEqual([name, false])
    expect(describeRecord(changed)).not.toBe(describeRecord(RECORD))
  }
})

const UNFIRED = { left: 3_500n, fired: 0n, lastFiredAt: 0n }

test('an order whose own amounts don’t add up, or with another’s ciphertext, is contradicted, and one that a single node of two denies isn’t', async () => {
  const order = stateOf(funded(), fired(0, START))
  const other = { ...RECORD, fired: 2n }
  const contradictedBy = async (state: OrderState, ...stored: VaultOrder[]) =>
    (await startChecks(state, stored).check()).contradicted
  expect(await contradictedBy(order, RECORD)).toEqual([])
  expect(await contradictedBy(order, other)).toEqual([ORDER])
  expect(await contradictedBy(order, other, RECORD)).toEqual([])
  const facts = { ...order.facts, totalAmount: order.facts.totalAmount + 1n }
  expect(await contradictedBy({ ...order, facts }, RECORD)).toEqual([ORDER])
  for (const encrypted of ['0x0e', 'none'] as Hex[])
    expect(await contradictedBy({ ...order, encrypted }, RECORD)).toEqual([ORDER])
})

test('an ended order with another’s ciphertext among the copied events is contradicted, but not while they are read again', async () => {
  const order = stateOf(funded(), fired(0, START), closed(2_500n, 2, START + 1))
  const record = { ...RECORD, left: 0n, closed: true }
  const contradictedBy = async (copied?: Hex) =>
    (await startChecks({ ...order, encrypted: null }, [record], copied).check()).contradicted
  expect(await contradictedBy(order.encrypted!)).toEqual([])
  expect(await contradictedBy('0x0e')).toEqual([ORDER])
  expect(await contradictedBy()).toEqual([])
})
