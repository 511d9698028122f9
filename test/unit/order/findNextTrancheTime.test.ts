import { expect, test } from 'vitest'
import { findNextTrancheTime } from '../../../core/order/findNextTrancheTime.ts'
import { closed, fired, funded, START, stateOf } from './orderCase.ts'

/** When the next tranche of an order with periods of a minute is due, in seconds from its start. */
function dueAfter(...events: Parameters<typeof stateOf>): number | null {
  const at = findNextTrancheTime(stateOf(...events).facts)
  return at === null ? null : at - START
}

test('a tranche is due by the schedule, and half a period after one that came late', () => {
  expect(dueAfter(funded())).toBe(0)
  expect(dueAfter(funded(), fired(0, START))).toBe(60)
  expect(dueAfter(funded(), fired(0, START), fired(1, START + 61))).toBe(120)
  expect(dueAfter(funded(), fired(0, START + 45))).toBe(75)
})

test('none is due at the end, without enough left, or once the order is closed', () => {
  expect(dueAfter(funded(START, { endTime: START + 61 }), fired(0, START))).toBe(60)
  expect(dueAfter(funded(START, { endTime: START + 60 }), fired(0, START))).toBeNull()
  expect(dueAfter(funded(START, { total: 1_999n }), fired(0, START))).toBeNull()
  expect(dueAfter(funded(), closed(3_500n, 2, START + 1))).toBeNull()
})
