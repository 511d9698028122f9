import { expect, test } from 'vitest'
import { decideJournalLines } from '../../../core/push/decideJournalLines.ts'

const fact = (key: string, at = 100) => ({ key, at })
const line = (sequence: number, key: string, isGone = false) => ({ sequence, key, isGone })

test('new transitions are sent once, in order', () => {
  const facts = [fact('a'), fact('b')]
  expect(decideJournalLines(facts, [], 0)).toEqual({ reverted: [], added: facts })
  expect(decideJournalLines(facts, [line(1, 'a')], 0).added).toEqual([fact('b')])
  expect(decideJournalLines(facts, [line(1, 'a'), line(2, 'b')], 0)).toEqual({
    reverted: [],
    added: [],
  })
})

test('a reorg’s revoked lines are named, and recorded again if their events return in another block', () => {
  const decided = decideJournalLines([fact('a'), fact('b2')], [line(1, 'a'), line(2, 'b', true)], 0)
  expect(decided).toEqual({ reverted: [2], added: [fact('b2')] })
})

test('what no longer explains the state but is still on its chain was no reorg', () => {
  expect(decideJournalLines([fact('a')], [line(1, 'a'), line(2, 'late')], 0)).toEqual({
    reverted: [],
    added: [],
  })
})

test('transitions that are too old are neither sent nor withdrawn', () => {
  expect(decideJournalLines([fact('a', 50), fact('b', 100)], [], 100).added).toEqual([
    fact('b', 100),
  ])
  expect(decideJournalLines([fact('a', 50)], [line(1, 'a')], 100).reverted).toEqual([])
})
