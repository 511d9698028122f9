import { type PublicClient, toHex } from 'viem'
import { expect, test } from 'vitest'
import type { OrderState } from '../../../core/order/orderState.ts'
import { createQueryAllProviders } from '../../../services/chain/transactions/queryAllProviders.ts'
import {
  checkVaultLedger,
  matchesRecord,
  type StoredOrder,
} from '../../../services/orders/checkVaultLedger.ts'
import { closed, fired, funded, ORDER, START, stateOf } from './orderCase.ts'

const TOKEN = '0x00000000000000000000000000000000000000bb'
const CREDITS = new Map([[TOKEN, 100n]])

/** Checks a vault whose nodes answer with these records of its orders and, all of them, with this balance. */
function startChecks(order: OrderState | null, stored: readonly StoredOrder[] = []) {
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
  const chain = { name: 'base', vault: TOKEN, nodes, halted }
  const snapshot = { book, head: { number: 7 } }
  return {
    halted,
    said,
    check(held = 100n) {
      balance = held
      return checkVaultLedger({ events } as never, chain as never, snapshot as never, 0)
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

test('an order contradicts the vault’s record if what is left, fired or closed differs', () => {
  const running = stateOf(funded(), fired(0, START)).facts
  const ended = stateOf(funded(), fired(0, START), closed(2_500n, 2, START + 1)).facts
  const record = { left: 2_500n, fired: 1n, closed: false }
  expect(matchesRecord(running, record)).toBe(true)
  expect(matchesRecord(ended, { ...record, left: 0n, closed: true })).toBe(true)
  for (const change of [{ left: 2_501n }, { fired: 2n }, { closed: true }])
    expect([change, matchesRecord(running, { ...record, ...change })]).toEqual([change, false])
})

test('an order whose own amounts don’t add up is contradicted, and one that a single node of two denies isn’t', async () => {
  const order = stateOf(funded(), fired(0, START))
  const record = { left: 2_500n, fired: 1n, closed: false }
  const contradictedBy = async (state: OrderState, ...stored: StoredOrder[]) =>
    (await startChecks(state, stored).check()).contradicted
  expect(await contradictedBy(order, record)).toEqual([])
  expect(await contradictedBy(order, { ...record, fired: 2n })).toEqual([ORDER])
  expect(await contradictedBy(order, { ...record, fired: 2n }, record)).toEqual([])
  const facts = { ...order.facts, amountPerPeriod: order.facts.amountPerPeriod + 1n }
  expect(await contradictedBy({ ...order, facts }, record)).toEqual([ORDER])
})
