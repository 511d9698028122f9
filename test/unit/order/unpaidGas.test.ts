import { expect, test } from 'vitest'
import { gasOfCalls } from '../../../services/orders/act/gasMinimum.ts'
import { gasOfEnded, mayFire } from '../../../services/orders/act/unpaidGas.ts'
import { createOrderBook } from '../../../services/orders/follow/orderBook.ts'
import type { ServedChain } from '../../../services/orders/ordersContext.ts'
import { closed, ended, fired, funded, START, stateOf } from './orderCase.ts'

const { fire, close } = gasOfCalls({ bytes: 1, quorum: 1 })
const gasOf = (since: number, ...events: Parameters<typeof stateOf>) =>
  Number(gasOfEnded([stateOf(funded(), ...events)], since))

test.each([
  ['is under way', [fired(0, START)], 0],
  ['came back', [fired(0, START), ended('IntentRefunded', 0, START + 9)], fire],
  ['was cancelled by its owner', [fired(0, START), ended('IntentCancelled', 0, START + 9)], fire],
  ['was delivered', [fired(0, START), ended('IntentSettled', 0, START + 9)], -fire],
])('a tranche that %s', (_, events, gas) => expect(gasOf(START, ...events)).toBe(gas))

test('a close counts where nothing was delivered, and what is a day old no more', () => {
  const order = [closed(3_500n, 2, START + 20)]
  expect(gasOf(START, ...order)).toBe(close)
  expect(gasOf(START + 21, ...order)).toBe(0)
  const delivered = [fired(0, START), ended('IntentSettled', 0, START + 9)]
  expect(gasOf(START, ...delivered, closed(2_500n, 2, START + 20))).toBe(-fire)
})

test('an owner whose tranches come back has none fired until a day has passed', () => {
  const book = createOrderBook()
  const events = [funded(), fired(0, START), ended('IntentCancelled', 0, START + 9)]
  for (const event of events) book.take(event)
  const context = { settings: { unpaidGas: BigInt(fire - 1) } } as never
  const at = (timestamp: number) => {
    const latest = () => ({ book, head: { number: 1, hash: '0x01' as const, timestamp } })
    return { follower: { latest } } as unknown as ServedChain
  }
  const order = stateOf(...events)
  expect(mayFire(context, at(START + 60), order)).toBe(false)
  expect(mayFire(context, at(START + 86_400 + 60), order)).toBe(true)
})
