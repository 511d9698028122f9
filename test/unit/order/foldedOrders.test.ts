import { expect, test } from 'vitest'
import { ORDER_EVENT_TYPES } from '../../../services/orders/chain/vaultChain.ts'
import { createFoldedOrders } from '../../../services/orders/follow/foldedOrders.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { ChainEvent } from '../../../src/event/chainEvent.ts'
import { EVENT_FIELDS } from '../../../src/event/eventFields.ts'
import { closed, ended, fired, funded, ORDER, PER_PERIOD, START } from './orderCase.ts'

const OTHER: Hex = `0x${'0e'.repeat(32)}`
const LATER: Hex = `0x${'0f'.repeat(32)}`

test('a layered book doesn’t change the one below', () => {
  const below = createFoldedOrders()
  for (const event of [funded(), fired(0, START)]) below.apply(event)
  const above = createFoldedOrders(below)
  above.apply(ended('IntentRefunded', 0, START + 9))
  above.apply(fired(1, START + 60))
  above.apply(closed(1_500n, 2, START + 61))
  expect(above.find(ORDER)?.facts).toMatchObject({ tranchesFired: 2, closeReason: 'user_cancel' })
  expect(above.find(ORDER)?.facts.amountRefunded).toBe(PER_PERIOD)
  expect(above.findByPrefix(ORDER)).toBe(above.find(ORDER))
  expect([...above.all()]).toHaveLength(1)
  expect(above.size()).toBe(1)
  expect(below.find(ORDER)?.facts).toMatchObject({ tranchesFired: 1, closeReason: null })
  expect(createFoldedOrders(below).orderOf(2n)).toBeNull()
  expect(below.findByPrefix(ORDER)).toBe(below.find(ORDER))
})

test('an order needs work until it is closed or spent and its tranches have ended', () => {
  const book = createFoldedOrders()
  const isOpen = () => [...book.open()].length === 1
  for (const event of [funded(), fired(0, START), closed(2_500n, 2, START + 1)]) book.apply(event)
  expect([isOpen(), book.ended()]).toEqual([true, []])
  book.apply(ended('IntentRefunded', 0, START + 9))
  const [order] = book.all()
  expect([isOpen(), book.ended(), book.page(0, 2)]).toEqual([false, [order], [order]])
  expect(book.totals()).toEqual({ fired: 1, settled: 0, refunded: 1, failed: 0 })
  expect([...book.left().values()]).toEqual([0n])

  const spent = createFoldedOrders()
  for (const event of [funded(START, { total: PER_PERIOD }), fired(0, START)]) spent.apply(event)
  expect([...spent.open()]).toHaveLength(1)
  spent.apply(ended('IntentSettled', 0, START + 9))
  expect([[...spent.open()], spent.ended()?.length]).toEqual([[], 1])
})

test('an order that is over for good keeps the size of its ciphertext alone', () => {
  const below = createFoldedOrders()
  below.apply(funded())
  const { encrypted, size } = below.find(ORDER)!
  const above = createFoldedOrders(below)
  above.apply(closed(3_500n, 2, START + 1))
  // A reorg may open it again.
  expect([above.find(ORDER)?.encrypted, below.find(ORDER)?.encrypted]).toEqual([
    encrypted,
    encrypted,
  ])
  below.apply(closed(3_500n, 2, START + 1))
  for (const order of [below.find(ORDER), ...below.all(), ...(below.ended() ?? [])])
    expect(order).toMatchObject({ encrypted: null, size })
  expect(size).toBe((encrypted!.length - 2) / 2)
})

test('an event about an order that was over is folded, and shows in what is open and ended', () => {
  const below = createFoldedOrders()
  below.apply(funded())
  const above = createFoldedOrders(below)
  above.apply(closed(3_500n, 2, START + 1))
  // It may still leave the chain.
  expect([[...above.open()].length, above.ended()]).toEqual([1, []])
  below.apply(closed(3_500n, 2, START + 1))
  const list = below.ended()
  expect(list).toHaveLength(1)
  const later = createFoldedOrders(below)
  expect([[...later.open()], later.ended() === list]).toEqual([[], true])
  later.apply(fired(0, START + 2))
  expect([[...later.open()].length, later.ended(), later.size()]).toEqual([1, null, 1])
  expect(later.page(0, 1)).toEqual([later.find(ORDER)])
  expect(later.totals().fired).toBe(1)
  below.apply(fired(0, START + 2))
  expect([[...below.open()].length, below.ended(), list?.length]).toEqual([1, [], 1])
})

test('a layered book has each order and credit once, as they are above', () => {
  const below = createFoldedOrders()
  const first = funded()
  if (first.type !== 'OrderFunded') throw new Error('not funded')
  const { owner, token } = first.args
  const fund = (orderId: Hex) => ({ ...first, args: { ...first.args, orderId } })
  const credit = (type: 'VaultCreditAdded' | 'VaultCreditClaimed', amount: bigint) =>
    ({ type, point: first.point, args: { token, owner, amount } }) as ChainEvent
  for (const event of [first, fund(OTHER), credit('VaultCreditAdded', 9n)]) below.apply(event)
  const above = createFoldedOrders(below)
  for (const event of [fired(0, START), fund(LATER), credit('VaultCreditClaimed', 4n)])
    above.apply(event)
  expect([...above.all()].map(({ facts }) => [facts.orderId, facts.tranchesFired])).toEqual([
    [OTHER, 0],
    [ORDER, 1],
    [LATER, 0],
  ])
  expect(above.size()).toBe(3)
  expect(above.ofOwner(owner)).toEqual([ORDER, OTHER, LATER])
  expect([OTHER, LATER].map((id) => above.findByPrefix(id)?.facts.orderId)).toEqual([OTHER, LATER])
  expect([above.credits().get(token), below.credits().get(token)]).toEqual([5n, 9n])
})

test('ignores events of other intents and of orders that were never funded', () => {
  const book = createFoldedOrders()
  expect(book.apply(fired(0, START))).toBe(false)
  book.apply(funded())
  expect(book.apply(ended('IntentSettled', 7, START))).toBe(false)
  expect(book.find(ORDER)?.tranches).toEqual([])
})

test('no event of a type that isn’t fetched would change a book', () => {
  const book = createFoldedOrders()
  for (const event of [funded(), fired(0, START)]) book.apply(event)
  const fetched = new Set<string>(ORDER_EVENT_TYPES)
  const others = Object.keys(EVENT_FIELDS).filter((type) => !fetched.has(type))
  expect(others).toContain('BidPlaced')
  const { point, args } = fired(0, START)
  for (const type of others) expect(book.apply({ type, point, args } as ChainEvent)).toBe(false)
})
