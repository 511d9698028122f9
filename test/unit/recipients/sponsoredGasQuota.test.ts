import { expect, test } from 'vitest'
import { DEFAULT_SPONSOR_LIMITS } from '../../../services/config/sponsorLimits.ts'
import {
  type Allowance,
  isWithin,
  isWithinOwnPart,
} from '../../../services/relayer/recipients/sponsored/gasAllowance.ts'
import { leastAmountOf } from '../../../services/relayer/recipients/sponsored/sponsoredGasQuota.ts'

const PART = 500_000n
const given = (change: Partial<Allowance>): Allowance => ({
  allowed: 1_500_000n,
  own: 0n,
  isStrangers: false,
  usedByStrangers: 0n,
  others: [0n, 0n],
  ...change,
})

test('each of an intent’s Safes has its part, whatever the others have used', () => {
  expect(isWithin(given({ own: 300_000n }), 200_000n, PART)).toBe(true)
  expect(isWithin(given({ own: 300_000n }), 200_001n, PART)).toBe(false)
  expect(isWithin(given({ others: [500_000n, 500_000n] }), 500_000n, PART)).toBe(true)
  // More than its part only of what nobody else can count on.
  expect(isWithin(given({ allowed: 1_600_000n }), 600_000n, PART)).toBe(true)
  expect(isWithin(given({ allowed: 1_600_000n }), 600_001n, PART)).toBe(false)
})

test('an intent that is anchored in spite of its size has even parts', () => {
  const others = [0n, 0n, 0n, 0n]
  expect(isWithin(given({ others }), 300_000n, PART)).toBe(true)
  expect(isWithin(given({ others }), 300_001n, PART)).toBe(false)
})

test('what nobody asked for is paid out of a whole part, and of nothing else', () => {
  expect(isWithinOwnPart(given({ own: 300_000n }), 200_000n, PART)).toBe(true)
  expect(isWithinOwnPart(given({ own: 300_000n, allowed: 9_000_000n }), 200_001n, PART)).toBe(false)
  expect(isWithinOwnPart(given({ allowed: 1_499_999n }), 1n, PART)).toBe(false)
  expect(isWithinOwnPart(given({ isStrangers: true }), 1n, PART)).toBe(false)
})

test('strangers get half at most, and nothing of what the sender’s Safes count on', () => {
  const strangers = { isStrangers: true, others: [0n] }
  expect(isWithin(given(strangers), 750_000n, PART)).toBe(true)
  expect(isWithin(given(strangers), 750_001n, PART)).toBe(false)
  expect(isWithin(given({ ...strangers, usedByStrangers: 700_000n }), 60_000n, PART)).toBe(false)
  expect(isWithin(given({ isStrangers: true, others: [0n, 0n, 0n] }), 1n, PART)).toBe(false)
})

test('no Safe gets more than is left of the allowance, whoever used the rest', () => {
  const alone = given({ others: [] })
  expect(isWithin(alone, 1_500_000n, PART)).toBe(true)
  const beside = given({ others: [], usedByStrangers: 700_000n })
  expect(isWithin(beside, 800_000n, PART)).toBe(true)
  expect(isWithin(beside, 800_001n, PART)).toBe(false)
  // Another Safe used more than its part, which leaves less.
  const greedy = given({ others: [900_000n] })
  expect(isWithin(greedy, 600_000n, PART)).toBe(true)
  expect(isWithin(greedy, 600_001n, PART)).toBe(false)
})

test('what a stranger’s Safe has used counts once', () => {
  const again = { isStrangers: true, own: 700_000n, usedByStrangers: 700_000n, others: [0n] }
  expect(isWithin(given(again), 50_000n, PART)).toBe(true)
})

test('the least amount grows with the number of Safes', () => {
  const least = (safes: number) => leastAmountOf(5_000_000n, safes, DEFAULT_SPONSOR_LIMITS)
  // The bridge's minimum includes the reward, so an amount below it can be enough.
  expect([0, 1, 2, 3].map(least)).toEqual([0n, 1_666_667n, 3_333_334n, 5_000_000n])
  expect(least(4)).toBe(6_666_667n)
  expect(least(200)).toBe(333_333_334n)
  expect(leastAmountOf(5n, 9, { gasPerMinimum: 0n, gasPerRecipient: 1n })).toBe(0n)
})
