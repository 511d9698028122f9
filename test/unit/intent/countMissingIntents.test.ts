import { expect, test } from 'vitest'
import { countMissingIntents } from '../../../core/intent/countMissingIntents.ts'
import { packIntentId } from '../../../core/intent/intentId.ts'

test.each([
  ['none', [1n, 2n, 3n], 3n, 0],
  ['the first and the last', [2n, 3n], 4n, 2],
  ['one, though an invented id makes up the number', [1n, 3n, 9n], 3n, 1],
  ['all', [], 2n, 2],
  ['those below the last id, if no node has counted', [3n, 1n], null, 1],
  ['none, if there are none', [], null, 0],
])('missing: %s', (_, sequences, created, missing) => {
  const ids = sequences.map((sequence) => packIntentId(84532, sequence))
  expect(countMissingIntents(ids, created)).toBe(missing)
})
