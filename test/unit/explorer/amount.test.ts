import { expect, test } from 'vitest'
import { formatRoundedAmount, renderAmount } from '../../../api/explorer/parts/amount.ts'
import type { Token } from '../../../api/http/tokens/tokenLookup.ts'

test.each([
  [0n, 6, '0'],
  [1n, 6, '0.000001'],
  [1_500_000n, 6, '1.50'],
  [1_250_000_000_000n, 6, '1,250,000'],
  [1_234_567_891_234n, 6, '1,234,567.8912'],
  [590_512_345_678_901_234n, 18, '0.5905'],
  [1_771_536_789_012_345n, 18, '0.001771'],
  [10_000_050_000_000_000_000n, 18, '10'],
  [2n ** 256n - 1n, 77, '1.1579'],
  [9_999_999_999_999_999_000_000n, 6, '9,999,999,999,999,999'],
  [2n ** 256n - 1n, 6, '1.15 × 10⁷¹'],
])('%d with %d decimals is %s', (base, decimals, shown) => {
  expect(formatRoundedAmount(base, decimals)).toBe(shown)
})

test('only a number too long for a phone may break, between groups of digits', () => {
  const token = { address: `0x${'1'.repeat(40)}` as const, symbol: 'USDC', decimals: 6 } as Token
  const shown = (base: bigint) =>
    /<span class="num">(.*?)<\/span>/.exec(`${renderAmount(base, token)}`)?.[1]
  expect(shown(7_365_821_100n)).toBe('7,365.8211')
  expect(shown(9_999_999_999_999_123_400n)).toBe('9,<wbr>999,<wbr>999,<wbr>999,<wbr>999.1234')
})
