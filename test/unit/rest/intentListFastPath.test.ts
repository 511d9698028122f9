import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import type { Rendered } from '../../../api/http/conditionalResponse.ts'
import { createIntentListFastPath } from '../../../api/rest/intents/intentListFastPath.ts'
import type { ReadContext } from '../../../api/rest/readContext.ts'
import { createResponseCache } from '../../../services/store/cache/responseCache.ts'
import { createFakeDatabase } from '../../rig/fakeDatabase.ts'
import { manualChangeFeed } from '../store/manualChangeFeed.ts'

/** Lists of an empty index, during whose reads the test may have something change. */
function rig(whileReading: (reads: number) => void) {
  const { feed, notify } = manualChangeFeed()
  const state = { reads: 0 }
  const chains = {
    current: async () => {
      state.reads += 1
      whileReading(state.reads)
      return { ready: [{}], heads: new Map(), backfilling: [] }
    },
  }
  const endpoint = createIntentListFastPath({
    db: createFakeDatabase(),
    chains,
    configured: [],
    pages: createResponseCache<Rendered>(feed, 100_000),
    cache: { revision: () => null, add: () => {} },
  } as unknown as ReadContext)
  const ask = async (url: string) =>
    endpoint.handlerFor({ method: 'GET', url, headers: {} } as IncomingMessage)?.('a client')
  return { ask, notify, state }
}

test('a list is cached until something changes, under each of its paths', async () => {
  const { ask, notify, state } = rig(() => {})
  const first = await ask('/intents?limit=5')
  expect(first).toMatchObject({ status: 200 })
  expect(await ask('/v1/intents?limit=5')).toEqual(first)
  expect(state.reads).toBe(1)
  await ask('/intents?limit=6')
  notify({ kind: 'gap' })
  await ask('/intents?limit=5')
  expect(state.reads).toBe(3)
})

test('a list isn’t cached if something changed while it was read', async () => {
  const { ask, notify, state } = rig((reads) => {
    if (reads === 1) notify({ kind: 'gap' })
  })
  for (const _ of ['read', 'read again', 'cached']) await ask('/intents')
  expect(state.reads).toBe(2)
})

test('lists as of a past block and unusual queries go to the app', async () => {
  const { ask, state } = rig(() => {})
  for (const query of [
    'asOfBlock=1:2',
    'limit=1&limit=1',
    'limit=x',
    'limit=%31',
    'unknown=1',
    'limit',
  ])
    expect(await ask(`/intents?${query}`), query).toBeNull()
  expect(await ask('/intents/7')).toBeUndefined()
  expect(state.reads).toBe(0)
})
