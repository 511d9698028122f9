import { expect, test } from 'vitest'
import { createResponseCache } from '../../../services/store/cache/responseCache.ts'
import type { FeedEvent } from '../../../services/store/changes/changeFeed.ts'
import { manualChangeFeed } from './manualChangeFeed.ts'

const CLOCK: FeedEvent = {
  kind: 'clock',
  clock: { chainId: 1, timestamp: 1, blockNumber: 1, finalizedBlock: 1 },
}

test('the response cache keeps an answer until the next event, be it only a clock', () => {
  const { feed, notify } = manualChangeFeed()
  const memory = createResponseCache<string>(feed, 10_000)
  for (const event of [CLOCK, { kind: 'views' }, { kind: 'gap' }] as FeedEvent[]) {
    memory.set('question', 'answer', 6, memory.revision())
    expect(memory.get('question')).toBe('answer')
    notify(event)
    expect(memory.get('question')).toBeUndefined()
  }
})

test('the response cache doesn’t keep an answer that was read across an event', () => {
  const { feed, notify } = manualChangeFeed()
  const memory = createResponseCache<string>(feed, 10_000)
  const begun = memory.revision()
  notify(CLOCK)
  memory.set('question', 'answer', 6, begun)
  expect(memory.get('question')).toBeUndefined()
})

test('the response cache keeps nothing while the feed is interrupted', () => {
  const { feed, notify } = manualChangeFeed()
  const memory = createResponseCache<string>(feed, 10_000)
  const before = memory.revision()
  notify({ kind: 'lost' })
  const during = memory.revision()
  expect(during).toBeNull()
  memory.set('a', 'answer', 6, before)
  memory.set('b', 'answer', 6, during)
  expect(memory.get('b')).toBeUndefined()
  notify({ kind: 'found' })
  memory.set('c', 'answer', 6, during)
  memory.set('d', 'answer', 6, memory.revision())
  expect(['a', 'b', 'c', 'd'].map((question) => memory.get(question))).toEqual([
    ...[undefined, undefined, undefined],
    'answer',
  ])
})

test('the response cache for repeated questions keeps an answer from its second reading on', () => {
  const { feed, notify } = manualChangeFeed()
  const memory = createResponseCache<string>(feed, 10_000, { repeatedOnly: true })
  memory.set('question', 'answer', 6, memory.revision())
  expect(memory.get('question')).toBeUndefined()
  memory.set('question', 'answer', 6, memory.revision())
  expect(memory.get('question')).toBe('answer')
  notify(CLOCK)
  // The question is known now: the next reading is the only one until the next event.
  memory.set('question', 'answer', 6, memory.revision())
  expect(memory.get('question')).toBe('answer')
})
