import { expect, test } from 'vitest'
import { concatenateAsUtf8 } from '../../../api/http/concatenateAsUtf8.ts'

test('texts of any script are concatenated as UTF-8', () => {
  const texts = ['{"a":', '"é€😀"', '', '}']
  expect(concatenateAsUtf8(texts)).toEqual(Buffer.from(texts.join('')))
  expect(concatenateAsUtf8([])).toHaveLength(0)
})
