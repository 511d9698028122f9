import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dollars } from '../../../api/explorer/parts/formatUsd.ts'
import { parsePriceDocument, priceKey } from '../../../api/http/prices/priceDocument.ts'
import { toCents, toUsd, USD_PRICE } from '../../../core/money/usdValue.ts'

const TOKEN = `0x${'Ab'.repeat(20)}` as const
const ONE = { chain: 'base_sepolia', token: TOKEN.toLowerCase(), usd: '1.0003' }
const DOCUMENT = { source: 'The desk', asOf: '2026-11-23T06:00:00Z', prices: [ONE] }
const AS_OF = Date.parse('2026-11-23T06:00:00Z') / 1_000

test.each([
  [1_250_375_000n, 6, '1', '1250.375'],
  [1n, 18, '3000.5', '0.0000000000000030005'],
  [10n ** 30n, 18, '0.000000000000000001', '0.000001'],
  [5n, 0, '0.1', '0.5'],
  [123n, 6, '0', '0'],
])('%d at %d decimals and %s is %s, exactly', (base, decimals, price, value) => {
  expect(toUsd(base, decimals, price)).toBe(value)
})

test('a value is exactly the amount times the price', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
      fc.nat({ max: 40 }),
      fc.nat({ max: 10 ** 15 - 1 }),
      fc.stringMatching(/^\d{1,18}$/),
      (base, decimals, whole, fraction) => {
        const price = `${whole}.${fraction}`
        expect(USD_PRICE.test(price)).toBe(true)
        const value = toUsd(base, decimals, price)
        expect(value).toMatch(/^\d+(\.\d*[1-9])?$/)
        const [units = '', rest = ''] = value.split('.')
        // value / 10^rest = base × price / 10^(decimals + fraction), crosswise.
        const left = BigInt(units + rest) * 10n ** BigInt(decimals + fraction.length)
        const right = base * BigInt(`${whole}${fraction}`) * 10n ** BigInt(rest.length)
        expect(left).toBe(right)
      },
    ),
    { seed: 16, numRuns: 500 },
  )
})

test.each([
  ['1250.375', 125_038n, '$1,250.38'],
  ['1250.37499999', 125_037n, '$1,250.37'],
  ['0.995', 100n, '$1.00'],
  ['0.0049', 0n, 'less than $0.01'],
  ['0', 0n, '$0.00'],
  ['1234567', 123_456_700n, '$1,234,567.00'],
])('%s dollars are %d cents, shown as %s', (value, cents, shown) => {
  expect([toCents(value), dollars(value)]).toEqual([cents, shown])
})

test('a document has a source, a time and a price for each token', () => {
  const own = { source: 'Another desk', asOf: '2026-11-22' }
  const other = { ...ONE, chain: 2651420, usd: '0.5', ...own }
  const prices = parsePriceDocument(JSON.stringify({ ...DOCUMENT, prices: [ONE, other] }))
  expect(prices.get(priceKey(84_532, TOKEN))).toEqual({
    usd: '1.0003',
    source: 'The desk',
    asOf: AS_OF,
  })
  expect(prices.get(priceKey(2_651_420, TOKEN))).toEqual({
    usd: '0.5',
    source: 'Another desk',
    asOf: Date.parse('2026-11-22T00:00:00Z') / 1_000,
  })
  expect(prices.get(priceKey(1, TOKEN))).toBeUndefined()
})

const SECRET = 'hunter2'
const wrong = (change: object) => JSON.stringify({ ...DOCUMENT, ...change })
const withPrice = (change: object) => wrong({ prices: [{ ...ONE, ...change }] })

test.each([
  ['no JSON', `{ "source": ${SECRET}`, 'it is not JSON'],
  ['a list', '[]', 'document: '],
  ['an unknown field', wrong({ [SECRET]: 1 }), 'document: it has an unknown field'],
  ['no source', wrong({ source: ' ' }), 'source: expected 1 to 80 visible characters'],
  ['a source in two lines', wrong({ source: `a\n${SECRET}` }), 'source: '],
  ['a source that turns the text around', wrong({ source: `a\u202e${SECRET}` }), 'source: '],
  ['no time', wrong({ asOf: SECRET }), 'asOf: expected'],
  ['a price as a float', withPrice({ usd: 1.0003 }), 'prices.0.usd: '],
  [
    'a price with an exponent',
    withPrice({ usd: '1e3' }),
    'prices.0.usd: expected a decimal string',
  ],
  ['a negative price', withPrice({ usd: '-1' }), 'prices.0.usd: '],
  ['a price too long', withPrice({ usd: '1'.repeat(16) }), 'prices.0.usd: '],
  ['no token', withPrice({ token: SECRET }), 'prices.0.token: '],
  ['an unknown chain', withPrice({ chain: SECRET }), 'prices.0.chain: '],
  ['too many', wrong({ prices: Array.from({ length: 5_001 }, () => ONE) }), 'prices: '],
])('a document with %s is refused, and nothing in it is repeated', (_, text, words) => {
  const read = () => parsePriceDocument(text)
  expect(read).toThrow(words)
  expect(read).not.toThrow(SECRET)
})
