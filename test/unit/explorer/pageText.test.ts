import { expect, test } from 'vitest'
import { formatEventName, formatStepName } from '../../../api/explorer/parts/formatEventName.ts'
import { changedPath } from '../../../api/explorer/parts/pagePaths.ts'
import { formatDuration } from '../../../api/explorer/parts/timesAndDurations.ts'

test('only a timeline, which has no later bids, calls a bid the first', () => {
  const step = (type: string) => formatStepName(type, 'solver_paid')
  expect([formatEventName('BidPlaced'), step('BidPlaced')]).toEqual(['Bid', 'First bid'])
  expect([formatEventName('StakeAdded'), step('SolverDeposited')]).toEqual([
    'Stake added',
    'Deposit',
  ])
})

test('a timeline says of a delivery that the intent failed for that it is invalid', () => {
  expect(formatStepName('IntentSolved', 'solver_paid')).toBe('Delivered')
  expect(formatStepName('IntentSolved', 'delivery_invalid')).toBe('Invalid delivery')
})

test.each([
  [0, '0 s'],
  [59.4, '59 s'],
  [59.6, '1 min'],
  [125, '2 min 5 s'],
  [3_599.6, '1 h'],
  [3_661, '1 h 1 min'],
  [86_400, '1 d'],
  [5_637_600, '65 d 6 h'],
])('%d seconds are %s', (seconds, words) => {
  expect(formatDuration(seconds)).toBe(words)
})

test('a path without parameters has no question mark', () => {
  expect(changedPath('/a', [['b', '1']], { b: null })).toBe('/a')
  expect(changedPath('/a', [['b', '1']], { c: '2' })).toBe('/a?b=1&c=2')
})
