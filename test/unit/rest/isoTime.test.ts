import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toIsoTime } from '../../../api/http/isoTime.ts'

const LAST = 8_640_000_000_000

test('formats any second like Date, in any order', () => {
  const near = fc.integer({ min: 1_700_000_000, max: 1_700_200_000 })
  const any = fc.integer({ min: 0, max: LAST })
  fc.assert(
    fc.property(fc.array(fc.oneof(near, any)), (times) => {
      for (const time of times) expect(toIsoTime(time)).toBe(new Date(time * 1_000).toISOString())
    }),
    { seed: 1, numRuns: 300 },
  )
})

test('formats times after the last one as the last one', () => {
  expect(toIsoTime(Number.MAX_SAFE_INTEGER)).toBe('+275760-09-13T00:00:00.000Z')
  expect(toIsoTime(LAST)).toBe('+275760-09-13T00:00:00.000Z')
  expect(toIsoTime(0)).toBe('1970-01-01T00:00:00.000Z')
})
