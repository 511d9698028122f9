import { expect, test } from 'vitest'
import {
  type DepthMarks,
  deriveBlockFinality,
  deriveFinality,
} from '../../../core/intent/finality.ts'
import { foldKnown } from './intentSpecification.ts'
import * as scene from './sampleIntent.ts'

const { created, anchored, bid, deposited, delivered, settled } = scene

test('marks include their own block; without marks everything is at the tip', () => {
  const marks = { safeBlock: 20, finalizedBlock: 10 }
  expect([9, 10, 11, 20, 21].map((block) => deriveBlockFinality(block, marks))).toEqual([
    'finalized',
    'finalized',
    'safe',
    'safe',
    'latest',
  ])
  expect(deriveBlockFinality(1, undefined)).toBe('latest')
  expect(deriveBlockFinality(1, { safeBlock: null, finalizedBlock: null })).toBe('latest')
})

test('an intent is as final as the shallowest event its status rests on', () => {
  const deep: DepthMarks = { safeBlock: 10_000, finalizedBlock: 10_000 }
  const shallow: DepthMarks = { safeBlock: 10_000, finalizedBlock: 0 }
  const marks = (source: DepthMarks, destination: DepthMarks) =>
    new Map([
      [scene.SOURCE, source],
      [scene.DESTINATION, destination],
    ])
  const solved = foldKnown(created(), anchored(), bid(), deposited(), delivered())
  expect(deriveFinality(solved, marks(deep, deep))).toBe('finalized')
  expect(deriveFinality(solved, marks(deep, shallow))).toBe('safe')
  expect(deriveFinality(solved, marks(shallow, deep))).toBe('safe')

  const completed = foldKnown(created(), anchored(), bid(), deposited(), delivered(), settled())
  expect(deriveFinality(completed, marks(deep, shallow))).toBe('finalized')

  const strangers = foldKnown(
    created(),
    anchored(),
    bid(),
    deposited(),
    delivered({ solver: scene.STRANGER }),
  )
  expect(deriveFinality(strangers, marks(deep, shallow))).toBe('finalized')
})
