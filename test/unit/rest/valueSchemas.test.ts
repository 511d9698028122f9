import { expect, test } from 'vitest'
import type { z } from 'zod'
import { versionlessPath } from '../../../api/http/baseApp.ts'
import { chooseRequestId } from '../../../api/http/requestId.ts'
import {
  addressInput,
  amountInput,
  chainInput,
  hashInput,
  hexInput,
  intentIdInput,
  momentInput,
} from '../../../api/http/valueSchemas.ts'
import { asOfInput } from '../../../api/rest/intents/asOfBlock.ts'
import { reduceFraction } from '../../../api/rest/intents/openAuctionsRoute.ts'

const LOWER = `0x${'ab'.repeat(20)}`

const accepted: [string, z.ZodType, string, unknown][] = [
  ['a decimal id', intentIdInput, '18446744073709551617', 18446744073709551617n],
  ['a hex id', intentIdInput, '0x10000000000000001', 18446744073709551617n],
  ['a hex id after 0X', intentIdInput, '0X10000000000000001', 18446744073709551617n],
  ['bytes', hexInput, '04Ab', '0x04ab'],
  ['bytes after 0x', hexInput, '0x04Ab', '0x04ab'],
  ['bytes after 0X', hexInput, '0X04AB', '0x04ab'],
  ['the largest id', intentIdInput, `0x${'f'.repeat(64)}`, 2n ** 256n - 1n],
  ['a lower-case address', addressInput, LOWER, LOWER],
  ['an upper-case address', addressInput, `0X${'AB'.repeat(20)}`, LOWER],
  ['a mixed one with a wrong checksum', addressInput, `0x${'aB'.repeat(20)}`, LOWER],
  ['a hash', hashInput, `0x${'AB'.repeat(32)}`, `0x${'ab'.repeat(32)}`],
  ['a chain id', chainInput, '84532', 84532],
  ['a chain name', chainInput, 'base_sepolia', 84532],
  ['an alias', chainInput, 'base_testnet', 84532],
  ['an amount', amountInput, '0', 0n],
  ['unix seconds', momentInput, '1790000000', 1790000000],
  ['a plain date', momentInput, '2026-09-21', 1789948800],
  ['ISO 8601', momentInput, '2026-09-21T13:33:20Z', 1789997600],
  ['ISO 8601 elsewhere', momentInput, '2026-09-21T15:33:20.900+02:00', 1789997600],
]

test.each(accepted)('takes %s', (_name, schema, text, value) => {
  expect(schema.parse(text)).toEqual(value)
})

const refused: [string, z.ZodType, string][] = [
  ['id zero', intentIdInput, '0'],
  ['a negative id', intentIdInput, '-1'],
  ['an id of 257 bits', intentIdInput, String(2n ** 256n)],
  ['an id with a point', intentIdInput, '1.0'],
  ['an empty id', intentIdInput, ''],
  ['a bare 0x', intentIdInput, '0x'],
  ['an id with a newline', intentIdInput, '1\n'],
  ['an id in other digits', intentIdInput, '１'],
  ['a short address', addressInput, '0xab'],
  ['an address without 0x', addressInput, 'ab'.repeat(20)],
  ['a short hash', hashInput, '0xab'],
  ['an unknown chain', chainInput, 'atlantis_mainnet'],
  ['a name of Object', chainInput, 'constructor'],
  ['chain zero', chainInput, '0'],
  ['a chain beyond 2^53', chainInput, '9999999999999999'],
  ['a negative amount', amountInput, '-1'],
  ['an amount of 79 digits', amountInput, '1'.repeat(79)],
  ['a day that no month has', momentInput, '2026-02-31'],
  ['a time on such a day', momentInput, '2026-02-31T12:00:00Z'],
  ['a time without a zone', momentInput, '2026-09-21T13:33:20'],
  ['a time before 1970', momentInput, '1960-01-01T00:00:00Z'],
  ['words', momentInput, 'yesterday'],
]

test.each(refused)('refuses %s', (_name, schema, text) => {
  expect(schema.safeParse(text).success).toBe(false)
})

test.each([
  ['http://a/v1/intents?limit=1', '/intents'],
  ['http://a/v1', '/'],
  ['http://a/v1/', '/'],
  ['http://a/v1x/intents', '/v1x/intents'],
  ['http://a/v1/v1/intents', '/v1/intents'],
  ['http://a/intents#top', '/intents'],
  ['http://a', '/'],
])('%s is %s', (url, path) => {
  expect(versionlessPath(url)).toBe(path)
})

test('fractions in lowest terms', () => {
  expect(reduceFraction(970_000n, 1_000_000n)).toEqual({ numerator: '97', denominator: '100' })
  expect(reduceFraction(0n, 5n)).toEqual({ numerator: '0', denominator: '1' })
})

test("a client's request id is kept if it is plain", () => {
  expect(chooseRequestId('trace-1.a_B')).toBe('trace-1.a_B')
  for (const bad of [
    undefined,
    '',
    'a b',
    'a\nb',
    'x'.repeat(41),
    '5ec2e7a1'.repeat(8),
    '<script>',
  ]) {
    expect(chooseRequestId(bad)).toMatch(/^[0-9a-f-]{36}$/)
  }
})

test('what is no chain is told where chains are listed', () => {
  const of = (schema: z.ZodType, text: string) => schema.safeParse(text).error?.issues[0]?.message
  expect(of(chainInput, 'nosuch')).toBe(
    'expected a chain id or a chain name, as GET /chains lists them',
  )
  expect(of(asOfInput, 'nosuch:1')).toMatch(
    /a chain is an id or a name, as GET \/chains lists them$/,
  )
})
