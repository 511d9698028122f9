import { expect, test } from 'vitest'
import {
  acceptGifts,
  judgeSurplus,
  type SearchedFundings,
} from '../../../services/orders/follow/judgeSurplus.ts'
import { TOKEN } from './orderCase.ts'

const NOTHING: SearchedFundings = { searchedTo: 99, gifts: new Map(), doubtful: null }

/** A ledger at a block, by which the vault holds so much more than it owes. */
function ledgerAt(blockNumber: number, difference: bigint) {
  return {
    blockNumber,
    tokens: [{ token: TOKEN, left: 0n, credits: 0n, balance: difference, difference }],
  }
}

test('a vault without a surplus needs no search, and all final blocks up to then count as searched', () => {
  const { known, range } = judgeSurplus(NOTHING, ledgerAt(200, 0n), 190)
  expect([known.searchedTo, range]).toEqual([190, null])
  expect(judgeSurplus(known, ledgerAt(195, -5n), 250).known.searchedTo).toBe(195)
})

test('a surplus is searched once its block is final, from where the last search ended', () => {
  const first = judgeSurplus(NOTHING, ledgerAt(200, 7n), 190)
  expect(first.range).toBeNull()
  const second = judgeSurplus(first.known, ledgerAt(209, 7n), 199)
  expect(second.range).toBeNull()
  expect(judgeSurplus(second.known, ledgerAt(210, 7n), 200).range).toEqual({ from: 100, to: 200 })
  // The order was read after all.
  expect(judgeSurplus(second.known, ledgerAt(210, 0n), 200).known.doubtful).toBeNull()
})

test('a gift is searched once, and more than it again: also if that came before the search ended', () => {
  const { known } = judgeSurplus(NOTHING, ledgerAt(200, 7n), 200)
  const after = judgeSurplus(known, ledgerAt(205, 9n), 205)
  expect(after.range).toEqual({ from: 100, to: 205 })
  const accepted = acceptGifts(after.known, 205)
  expect(judgeSurplus(accepted, ledgerAt(206, 7n), 206).range).toBeNull()
  expect(judgeSurplus(accepted, ledgerAt(205, 9n), 210).range).toEqual({ from: 206, to: 210 })
})

test('a surplus that shrinks and grows again is searched again: another order may have been read or closed', () => {
  const gift = acceptGifts(judgeSurplus(NOTHING, ledgerAt(200, 7n), 200).known, 200)
  const { known } = judgeSurplus(gift, ledgerAt(210, 3n), 210)
  expect(judgeSurplus(known, ledgerAt(220, 7n), 230).range).toEqual({ from: 211, to: 230 })
})
