import { expect, it } from 'vitest'
import {
  findLowerMedian,
  findMajority,
  findMostFrequent,
  findUpperMedian,
} from '../../../services/chain/transactions/medianAndMajority.ts'

it.each<[bigint[], bigint, bigint]>([
  [[5n], 5n, 5n],
  [[10n, 9n], 9n, 10n],
  [[9n, 10n], 9n, 10n],
  [[100n, 9n, 10n], 10n, 10n],
  [[9n, 100n, 10n, 10n], 10n, 10n],
  [[10n, 100n, 9n, 1_000n], 10n, 100n],
])('the medians of %s are %s and %s', (values, lower, upper) => {
  const given = [...values]
  expect([findLowerMedian(values), findUpperMedian(values)]).toEqual([lower, upper])
  expect(values).toEqual(given)
})

it.each<[string[], string | undefined, string | null]>([
  [[], undefined, null],
  [['a'], 'a', 'a'],
  [['a', 'b'], 'a', null],
  [['b', 'a', 'a'], 'a', 'a'],
  [['a', 'a', 'b', 'c'], 'a', null],
])('the most frequent of %j is %s, their majority %s', (answers, mostFrequent, majority) => {
  expect(findMostFrequent(answers, String)).toBe(mostFrequent)
  expect(findMajority(answers, String)).toBe(majority)
})
