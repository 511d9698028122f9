import { afterEach, expect, test, vi } from 'vitest'
import { inRandomOrder } from '../../../sdk/client/inRandomOrder.ts'

afterEach(() => void vi.restoreAllMocks())

test('recipients are shuffled, so that their order reveals nothing', () => {
  vi.spyOn(crypto, 'getRandomValues').mockImplementation((places) => {
    ;(places as unknown as Uint32Array).set([7, 2 ** 32 - 1, 0])
    return places
  })
  expect(inRandomOrder(['alice', 'bob', 'carol'])).toEqual(['carol', 'alice', 'bob'])
})
