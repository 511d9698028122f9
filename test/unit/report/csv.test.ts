import { expect, test } from 'vitest'
import { csvCell, csvLines } from '../../../tools/report/csv.ts'
import { renderPage } from '../../../tools/report/htmlPage.ts'

test.each([
  ['=1+1', `"'=1+1"`],
  ['+1', `"'+1"`],
  ['-1', `"'-1"`],
  ['@SUM(A1)', `"'@SUM(A1)"`],
  ['  =1', `"'  =1"`],
  ['\t=1', `"'\t=1"`],
  ['\u00a0=1', `"'\u00a0=1"`],
  ['＝1', `"'＝1"`],
  ['\rUSDC', `"'\rUSDC"`],
  ['=HYPERLINK("http://x";"y")', `"'=HYPERLINK(""http://x"";""y"")"`],
  ["'=1", `"'=1"`],
  ['x;=1+1;', `"x;'=1+1;"`],
  ['x; -1;@a', `"x;' -1;'@a"`],
  ['x;"=1', `"x;'""=1"`],
  ['a;b', 'a;b'],
  ['USDC', 'USDC'],
  ['a-b', 'a-b'],
  ['a,b', '"a,b"'],
  ['a"b', '"a""b"'],
  ['a\nb', '"a\nb"'],
])('the cell of %j is one cell, and not a formula', (text, cell) => {
  expect(csvCell(text)).toBe(cell)
})

test('numbers are digits, and null is an empty cell', () => {
  const rows = [{ a: 10n ** 30n, b: null, c: 7 }]
  expect([...csvLines(['a', 'b', 'c'], rows)]).toEqual(['a,b,c\r\n', `1${'0'.repeat(30)},,7\r\n`])
})

test('the page shows a token’s symbol as text, loads nothing and runs nothing', () => {
  const evil = '<img src=x onerror=alert(1)>"\'&'
  const faults = [`the bridge of ${evil} is short`]
  const content = { books: [], statements: [], intents: [], changes: [], unchecked: [] }
  const html = [...renderPage({ ...content, faults })].join('')
  expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;')
  expect(html).not.toContain('<img')
  expect(html).not.toMatch(/<script|<link|src=["']|href=|url\(/)
  expect(html).toContain("default-src 'none'; style-src 'sha256-")
})
