import { expect, test } from 'vitest'
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
