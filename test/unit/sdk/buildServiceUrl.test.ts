import { expect, test } from 'vitest'
import { buildServiceUrl } from '../../../sdk/relayer/buildServiceUrl.ts'

test.each(['https://relayer.example', 'https://relayer.example/'])('%s is a base URL', (base) => {
  const url = buildServiceUrl(base, '/intents', { limit: 5, cursor: undefined })
  expect(String(url)).toBe('https://relayer.example/intents?limit=5')
})

test('a base URL may have a path', () => {
  expect(String(buildServiceUrl('https://example.com/v1/', '/intents'))).toBe(
    'https://example.com/v1/intents',
  )
})
