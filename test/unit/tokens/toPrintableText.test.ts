import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toPrintableText } from '../../../services/chain/tokens/toPrintableText.ts'

test.each([
  ['USDC', 'USDC'],
  ['  Wrapped\n\tEther  ', 'Wrapped Ether'],
  ['US\u200bDC', 'USDC'],
  ['\u202eCDSU', 'CDSU'],
  ['U\u0301\u0302\u0303SDC', 'ÚSDC'],
  ['ＵＳＤＣ', 'USDC'],
  ['\u3164\u2800\u00a0', null],
  ['\u0000\u001b[31m', '[31m'],
  ['', null],
  ['<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
])('%j is shown as %j', (text, shown) => expect(toPrintableText(text, 32)).toBe(shown))

test('what is longer is cut, with an ellipsis', () => {
  expect(toPrintableText('x'.repeat(5_000), 32)).toBe(`${'x'.repeat(31)}…`)
})

test('whatever it is given, it is short, visible and of one line', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      const shown = toPrintableText(text, 32)
      if (shown === null) return
      expect(shown.length).toBeLessThanOrEqual(32)
      expect(shown).toMatch(/^[^\p{C}\p{Zl}\p{Zp}\n]+$/u)
      expect(shown).toBe(shown.trim())
    }),
  )
})
