import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { html, Markup } from '../../../api/explorer/html/html.ts'

test('whatever text stands in a template, it can’t leave its place', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const written = String(html`<a title="${text}">${text}</a>`)
      const [, title, words] = /^<a title="([^"<>'`]*)">([^<>"'`]*)<\/a>$/s.exec(written) ?? []
      expect(title).toBeDefined()
      expect(unescaped(words ?? '')).toBe(text)
    }),
  )
})

function unescaped(text: string): string {
  return text.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
}

test('only a template makes markup: what poses as it is refused or escaped', () => {
  const posing = { isEscaped: true, toString: () => '<script>' }
  expect(() => html`${posing as never}`).toThrow('only markup')
  expect(() => html`${Object.create(Markup.prototype)}`).toThrow()
  expect(() => html`${JSON.parse('{"__proto__": null}') as never}`).toThrow()
})

test('markup stays, lists are joined, nothing leaves nothing', () => {
  expect(String(html`${[html`<b>${'<'}</b>`, 1, 2n, null, false, undefined, ['&']]}`)).toBe(
    '<b>&#60;</b>12&#38;',
  )
})

test('every value in an attribute of the pages stands in quotes', () => {
  const folder = new URL('../../../api/explorer/', import.meta.url)
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )
  expect(sources.length).toBeGreaterThan(15)
  for (const name of sources) {
    const text = readFileSync(new URL(name, folder), 'utf8')
    expect([name, text.match(/=\$\{[^}]*\}(?=[ >/])[^`]*<\//g)]).toEqual([name, null])
  }
})
