import { expect, test } from 'vitest'
import { encodeTexts } from '../../../api/http/encodeTexts.ts'

test('texts of any script are concatenated as UTF-8', () => {
  const texts = ['{"a":', '"é€😀"', '', '}']
  expect(encodeTexts(texts)).toEqual(Buffer.from(texts.join('')))
  expect(encodeTexts([])).toHaveLength(0)
})
