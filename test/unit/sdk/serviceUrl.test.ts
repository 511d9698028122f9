import { expect, test } from 'vitest'
import { serviceUrl } from '../../../sdk/relayer/serviceUrl.ts'

test.each(['https://relayer.example', 'https://relayer.example/'])('%s is a base URL', (base) => {
  const url = serviceUrl(base, '/intents', { limit: 5, cursor: undefined })
  expect(String(url)).toBe('https://relayer.example/intents?limit=5')
})

test('a base URL may have a path', () => {
  expect(String(serviceUrl('https://example.com/v1/', '/intents'))).toBe(
    'https://example.com/v1/intents',
  )
})
