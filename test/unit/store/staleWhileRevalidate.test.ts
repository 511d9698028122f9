import { expect, test } from 'vitest'
import { StaleWhileRevalidate } from '../../../services/store/cache/staleWhileRevalidate.ts'
import { currentReader, readingFor } from '../../../services/store/database/fairShares.ts'

/** A reading whose clock and reads the test moves on. */
function rig() {
  const state = { now: 1_000, reads: 0 }
  const pending: { resolve(value: number): void; reject(error: Error): void }[] = []
  const reading = new StaleWhileRevalidate<number>({
    freshFor: 10,
    keptFor: 50,
    now: () => state.now,
  })
  const get = () =>
    reading.get(() => {
      state.reads += 1
      return new Promise((resolve, reject) => pending.push({ resolve, reject }))
    })
  return { state, pending, get }
}

test('all callers wait for the first reading, which happens once', async () => {
  const { state, pending, get } = rig()
  const both = [get(), get()]
  pending[0]?.resolve(7)
  expect(await Promise.all(both)).toEqual([
    { value: 7, readAt: 1_000 },
    { value: 7, readAt: 1_000 },
  ])
  expect(state.reads).toBe(1)
})

test('an old value is served with its age while a newer one is read', async () => {
  const { state, pending, get } = rig()
  const first = get()
  pending[0]?.resolve(7)
  await first
  state.now += 9
  expect(await get()).toEqual({ value: 7, readAt: 1_000 })
  expect(state.reads).toBe(1)
  state.now += 1
  expect(await get()).toEqual({ value: 7, readAt: 1_000 })
  expect(await get()).toEqual({ value: 7, readAt: 1_000 })
  expect(state.reads).toBe(2)
  pending[1]?.resolve(8)
  await Promise.resolve()
  await Promise.resolve()
  expect(await get()).toEqual({ value: 8, readAt: 1_010 })
})

test('callers wait when the value is too old; a failure reaches them and isn’t kept', async () => {
  const { state, pending, get } = rig()
  const first = get()
  pending[0]?.resolve(7)
  await first
  state.now += 50
  const next = get()
  pending[1]?.reject(new Error('gone'))
  await expect(next).rejects.toThrow('gone')
  const again = get()
  pending[2]?.resolve(9)
  expect(await again).toEqual({ value: 9, readAt: 1_050 })
})

test('a value from before the clock went back is not fresh for hours', async () => {
  const { state, pending, get } = rig()
  const first = get()
  pending[0]?.resolve(7)
  await first
  state.now -= 3_600_000
  const next = get()
  pending[1]?.resolve(8)
  expect(await next).toEqual({ value: 8, readAt: 1_000 - 3_600_000 })
})

test('what all callers wait for counts against no client’s share', async () => {
  const reading = new StaleWhileRevalidate<string | null>({ freshFor: 1, keptFor: 1 })
  const first = await readingFor('a client', () => reading.get(async () => currentReader()))
  expect(first.value).toBeNull()
})
