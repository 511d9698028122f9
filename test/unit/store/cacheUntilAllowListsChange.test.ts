import { expect, test } from 'vitest'
import { cacheUntilAllowListsChange } from '../../../services/store/cache/cacheUntilAllowListsChange.ts'
import type { FeedEvent } from '../../../services/store/changes/changeFeed.ts'
import { currentReader, readingFor } from '../../../services/store/database/fairShares.ts'
import { manualChangeFeed } from './manualChangeFeed.ts'

const CLOCK: FeedEvent = {
  kind: 'clock',
  clock: { chainId: 1, timestamp: 1, blockNumber: 1, finalizedBlock: 1 },
}

function changed(intentId: bigint | null): FeedEvent {
  return { kind: 'change', change: { intentId } } as unknown as FeedEvent
}

/** A cache of the number of reads so far. */
function rig() {
  const { feed, notify } = manualChangeFeed()
  const state = { reads: 0 }
  const get = cacheUntilAllowListsChange(feed, async () => {
    state.reads += 1
    return state.reads
  })
  return { notify, get }
}

test('a value is kept until something changes that isn’t an intent’s', async () => {
  const { notify, get } = rig()
  expect(await Promise.all([get(), get()])).toEqual([1, 1])
  notify(changed(7n))
  notify(CLOCK)
  expect(await get()).toBe(1)
  notify(changed(null))
  expect(await get()).toBe(2)
  notify({ kind: 'views' })
  expect(await get()).toBe(3)
})

test('a value that changed while it was read is read again by the next caller', async () => {
  const { notify, get } = rig()
  const begun = get()
  notify(changed(null))
  expect([await begun, await get()]).toEqual([1, 2])
})

test('nothing is kept while changes may be missed', async () => {
  const { notify, get } = rig()
  await get()
  notify({ kind: 'lost' })
  expect([await get(), await get()]).toEqual([2, 3])
  notify({ kind: 'found' })
  expect([await get(), await get()]).toEqual([4, 4])
})

test('a failure isn’t cached', async () => {
  const { feed } = manualChangeFeed()
  const results = [Promise.reject(new Error('gone')), Promise.resolve('there')]
  const get = cacheUntilAllowListsChange(feed, () => results.shift() as Promise<string>)
  await expect(get()).rejects.toThrow('gone')
  expect(await get()).toBe('there')
})

test('what all callers wait for counts against no client’s share', async () => {
  const { feed } = manualChangeFeed()
  const get = cacheUntilAllowListsChange(feed, async () => currentReader())
  expect(await readingFor('a client', get)).toBeNull()
})
