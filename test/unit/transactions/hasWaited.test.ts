import { expect, test } from 'vitest'
import { hasWaited } from '../../../services/chain/transactions/replaceTransaction.ts'

test.each<[string, number, number, boolean]>([
  ['for less than half a minute', 29_999, 12, false],
  ['for half a minute, through two blocks', 30_000, 12, true],
  ['for ten minutes without a second block', 600_000, 11, false],
  ['and the clock jumped ahead by an hour', 3_600_000, 12, true],
])('a version signed at block 10 that has waited %s', (_, msSinceSigned, newestHead, expected) => {
  const version = { msSinceSigned, signedAtBlock: 10 }
  expect(hasWaited({ bumpAfterMs: 30_000 }, { newestHead }, version)).toBe(expected)
})
