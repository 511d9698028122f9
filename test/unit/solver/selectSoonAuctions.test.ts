import { expect, it } from 'vitest'
import { selectSoonAuctions } from '../../../services/solver/runRound.ts'
import { BASE, HORIZEN, snapshotOf } from './solverTestbed.ts'

const [NOW, DAY] = [1_000, 86_400]
const ends = (endTime: number, sourceChainId = BASE) => ({ sourceChainId, endTime })

it('thousands of auctions that last a day are not read in each round', () => {
  const soon = [ends(NOW - 100), ends(NOW + 60), ends(NOW + 120, HORIZEN)]
  const flood = Array.from({ length: 9_000 }, () => ends(NOW + DAY))
  expect(selectSoonAuctions([...flood, ...soon], snapshotOf(NOW, []))).toEqual(soon)
})

it('auctions of a chain whose time is not known yet are', () => {
  expect(selectSoonAuctions([ends(DAY)], null)).toHaveLength(1)
  expect(selectSoonAuctions([ends(DAY, 7)], snapshotOf(NOW, []))).toHaveLength(1)
})

it('auctions that end soon are, even if the chain has had no block since they began', () => {
  const silent = snapshotOf(NOW, [], { source: { clock: NOW + 1_800 } })
  expect(selectSoonAuctions([ends(NOW + 1_860)], silent)).toHaveLength(1)
  expect(selectSoonAuctions([ends(NOW + 1_860)], snapshotOf(NOW, []))).toEqual([])
})
