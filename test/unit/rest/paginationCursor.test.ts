import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  CursorError,
  decodeCursor,
  encodeCursor,
} from '../../../services/store/database/paginationCursor.ts'

const values = fc.array(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 77n }), {
  minLength: 1,
  maxLength: 4,
})

test('a written cursor is read', () => {
  fc.assert(
    fc.property(values, (given) => {
      expect(decodeCursor('intents', kindsOf(given), encodeCursor('intents', given))).toEqual(
        given.map(String),
      )
    }),
    { seed: 1 },
  )
})

test('a cursor with one changed character is refused', () => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=.'
  fc.assert(
    fc.property(values, fc.nat(), fc.nat(), (given, where, what) => {
      const cursor = encodeCursor('intents', given)
      const place = where % cursor.length
      const other = alphabet[what % alphabet.length]!
      fc.pre(cursor[place] !== other)
      const damaged = cursor.slice(0, place) + other + cursor.slice(place + 1)
      expect(() => decodeCursor('intents', kindsOf(given), damaged)).toThrow(CursorError)
    }),
    { seed: 2, numRuns: 500 },
  )
})

test('arbitrary text and another list’s cursor are refused', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (text) => {
      expect(() => decodeCursor('intents', ['numeric'], text)).toThrow(CursorError)
    }),
    { seed: 3, numRuns: 500 },
  )
  expect(() => decodeCursor('events', ['numeric'], encodeCursor('intents', [1n]))).toThrow(
    CursorError,
  )
  expect(() =>
    decodeCursor('intents', ['numeric', 'numeric'], encodeCursor('intents', [1n])),
  ).toThrow(CursorError)
})

function kindsOf(given: readonly bigint[]) {
  return given.map(() => 'numeric' as const)
}
