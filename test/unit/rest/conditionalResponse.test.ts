import { expect, test } from 'vitest'
import { createConditionalResponse, render } from '../../../api/http/conditionalResponse.ts'

const rendered = render({ a: '1' })

test.each([
  ['the same tag', rendered.etag, 304],
  ['a weak form of it', `W/${rendered.etag}`, 304],
  ['one of several', `"other", ${rendered.etag}`, 304],
  ['anything', '*', 304],
  ['another tag', '"other"', 200],
  ['half of it', rendered.etag.slice(0, -2), 200],
  ['nothing', undefined, 200],
])('%s', async (_name, ifNoneMatch, status) => {
  const response = createConditionalResponse(rendered, ifNoneMatch)
  expect(response.status).toBe(status)
  expect(response.headers.get('etag')).toBe(rendered.etag)
  expect(response.headers.get('cache-control')).toBe('public, no-cache')
  expect(await response.text()).toBe(status === 200 ? '{"a":"1"}' : '')
})

test('another body has another tag', () => {
  expect(render({ a: '2' }).etag).not.toBe(rendered.etag)
})
