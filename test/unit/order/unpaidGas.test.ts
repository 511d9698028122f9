import { describe, expect, test } from 'vitest'
import { gasOfCalls } from '../../../services/orders/act/gasMinimum.ts'
import { gasOfUnpaid } from '../../../services/orders/act/unpaidGas.ts'
import { closed, ended, fired, funded, START, stateOf } from './orderCase.ts'

const { fire, close } = gasOfCalls({ bytes: 1, quorum: 1 })
const gasOf = (since: number, ...events: Parameters<typeof stateOf>) =>
  Number(gasOfUnpaid([stateOf(funded(), ...events)], since))

test.each([
  ['is under way', [fired(0, START)], fire],
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
  const cancelled = [fired(0, START), ended('IntentCancelled', 0, START + 9)]
  expect(gasOf(START + 60, ...cancelled)).toBe(0)
})

describe('of fifty orders that are due at once', () => {
  const [DAY, GIFT] = [86_400, 3_000_000n]
  const fifty = (...events: Parameters<typeof stateOf>) =>
    Array.from({ length: 50 }, () => stateOf(funded(), ...events))
  const delivered = [fired(0, START), ended('IntentSettled', 0, START + 9)]

  test('an owner whose tranches were delivered has all under way, however long ago that was', () => {
    const orders = fifty(...delivered, fired(1, START + 7 * DAY))
    expect(gasOfUnpaid(orders, START + 6 * DAY)).toBeLessThanOrEqual(GIFT)
  })

  test('a newcomer, and one who cancels them all, has a dozen', () => {
    const under = (count: number) => gasOfUnpaid(fifty(fired(0, START)).slice(0, count), START)
    expect([under(12) <= GIFT, under(14) <= GIFT]).toEqual([true, false])
    const cancelled = fifty(fired(0, START), ended('IntentCancelled', 0, START + 9))
    expect(gasOfUnpaid(cancelled, START)).toBeGreaterThan(GIFT)
  })

  test('a record is spent once', () => {
    const cancelled = [fired(1, START + DAY), ended('IntentCancelled', 1, START + DAY + 9)]
    const orders = fifty(...delivered, ...cancelled, fired(2, START + 3 * DAY))
    expect(gasOfUnpaid(orders, START + 2.5 * DAY)).toBeGreaterThan(GIFT)
  })
})
