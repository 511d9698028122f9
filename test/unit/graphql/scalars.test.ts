import fc from 'fast-check'
import { type GraphQLError, type GraphQLScalarType, Kind, parseValue } from 'graphql'
import { expect, test } from 'vitest'
import { SCALARS } from '../../../api/graphql/scalars/scalars.ts'

const hex = (bytes: number) =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map((b) => `0x${Buffer.from(b).toString('hex')}`)

const ROUND_TRIPS: [GraphQLScalarType, fc.Arbitrary<unknown>][] = [
  [SCALARS.Address, hex(20)],
  [SCALARS.Hex, hex(32)],
  [SCALARS.BigInt, fc.bigInt({ min: -(2n ** 255n), max: 2n ** 256n - 1n })],
  [SCALARS.ChainId, fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })],
  [SCALARS.Date, fc.integer({ min: 0, max: 100_000 })],
  [SCALARS.DateTime, fc.integer({ min: 0, max: 250_000_000_000 })],
]

test.each(
  ROUND_TRIPS,
)('%s: what goes out comes in the same, as variable and as literal', (scalar, values) => {
  fc.assert(
    fc.property(values, (value) => {
      const text = scalar.serialize(value)
      expect(scalar.parseValue(text)).toEqual(value)
      expect(scalar.parseLiteral(parseValue(JSON.stringify(text)))).toEqual(value)
    }),
    { seed: 1, numRuns: 300 },
  )
})

test('addresses go out checksummed, and come in in any case', () => {
  const checksummed = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'
  const inside = checksummed.toLowerCase()
  expect(SCALARS.Address.serialize(inside)).toBe(checksummed)
  for (const text of [checksummed, inside, `0X${inside.slice(2).toUpperCase()}`]) {
    expect(SCALARS.Address.parseValue(text)).toBe(inside)
  }
})

test('chains come in by id, by name and by alias; integers also as numbers and 0x hex', () => {
  for (const text of ['84532', 84532, 'base_sepolia', 'base_testnet']) {
    expect(SCALARS.ChainId.parseValue(text)).toBe(84532)
  }
  expect(SCALARS.BigInt.parseValue('0xff')).toBe(255n)
  expect(SCALARS.BigInt.parseValue(12)).toBe(12n)
  expect(SCALARS.BigInt.parseLiteral({ kind: Kind.INT, value: '9'.repeat(40) })).toBe(
    BigInt('9'.repeat(40)),
  )
})

test('times come in with any offset, as plain dates and as unix seconds', () => {
  expect(SCALARS.DateTime.parseValue('2026-01-31')).toBe(Date.UTC(2026, 0, 31) / 1_000)
  const seconds = Date.UTC(2026, 0, 31, 12) / 1_000
  for (const text of [
    '2026-01-31T12:00:00Z',
    '2026-01-31T13:00:00.999+01:00',
    seconds,
    `${seconds}`,
  ]) {
    expect(SCALARS.DateTime.parseValue(text)).toBe(seconds)
  }
})

test.each([
  [SCALARS.Address, ['0x12', 12, null, true, `0x${'g'.repeat(40)}`]],
  [SCALARS.Hex, ['0x', `0x${'0'.repeat(63)}`]],
  [SCALARS.BigInt, ['', '1.5', 1.5, '1e3', Number.MAX_VALUE, '9'.repeat(79), [], {}]],
  [SCALARS.ChainId, ['0', '-1', '9007199254740993', 'Base_Sepolia', 'moon_mainnet', '']],
  [SCALARS.Date, ['2026-02-31', '2026-1-1', '26-01-01', 20_000, '']],
  [
    SCALARS.DateTime,
    ['2026-02-31', '2026-1-1', '2026-01-31T12:00:00', '2026-02-31T00:00:00Z', -1, 'now'],
  ],
] as [GraphQLScalarType, unknown[]][])('%s refuses what it is not', (scalar, values) => {
  for (const value of values)
    expect(() => scalar.parseValue(value), String(value)).toThrow(/expected/)
})

test('a mistake in a query is located: one of several may be meant', () => {
  const locationsOf = (literal: string) => {
    try {
      return SCALARS.BigInt.parseLiteral(parseValue(`\n  ${literal}`))
    } catch (error) {
      return (error as GraphQLError).locations
    }
  }
  for (const literal of ['"abc"', 'true', '1.5'])
    expect([literal, locationsOf(literal)]).toEqual([literal, [{ line: 2, column: 3 }]])
})

test('a refused amount or chain says which would do', () => {
  expect(() => SCALARS.BigInt.parseValue('1.5')).toThrow('a whole number')
  expect(() => SCALARS.ChainId.parseValue('ethereum')).toThrow('{ _meta { chains { chain } } }')
})
