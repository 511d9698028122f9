import { GraphQLError, GraphQLScalarType } from 'graphql'
import { findChainId } from '../../../core/chain/chainNames.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { parseIsoDay, toIsoDay } from '../../http/isoDay.ts'
import { toIsoTime } from '../../http/isoTime.ts'
import { parseTime } from '../../http/parseTime.ts'
import { toChecksumAddress } from '../../http/toChecksumAddress.ts'
import { createTextScalar } from './textScalar.ts'

/** As wide as the database's `numeric(78,0)`, which holds every uint256. */
const DIGITS = /^(-?\d{1,78}|0x[0-9a-f]{1,64})$/i

/** Every scalar of the schema except GraphQL's own. */
export const SCALARS = {
  /** An account: checksummed in answers, lower case inside. */
  Address: createTextScalar<Hex>({
    name: 'Address',
    expected: 'an address: 0x and 40 hexadecimal digits',
    serialize: toChecksumAddress,
    parse: (text) => (/^0x[0-9a-f]{40}$/i.test(text) ? (text.toLowerCase() as Hex) : null),
  }),

  /** An integer of any size: a decimal string on the wire, a bigint inside. */
  BigInt: createTextScalar<bigint>({
    name: 'BigInt',
    expected: 'a whole number, in digits or 0x hex, of at most 256 bits',
    integers: true,
    serialize: String,
    parse: (text) => (DIGITS.test(text) ? BigInt(text) : null),
  }),

  /** A block number: a JSON number in answers; input may also be text. */
  BlockNumber: createTextScalar<number>({
    name: 'BlockNumber',
    expected: 'a block number',
    integers: true,
    serialize: (value) => value,
    parse: (text) => (/^\d{1,15}$/.test(text) ? Number(text) : null),
  }),

  /** A chain, by its id or protocol name: a decimal string in answers, a number inside. */
  ChainId: createTextScalar<number>({
    name: 'ChainId',
    expected:
      'a chain id such as "84532" or a chain name such as "base_sepolia": { _meta { chains { chain } } } lists them',
    integers: true,
    serialize: String,
    parse: (text) => (/^\d+$/.test(text) ? chainIdIn(text) : findChainId(text)),
  }),

  /** A UTC day: `2026-01-31` on the wire, days since 1970-01-01 inside. */
  Date: createTextScalar<number>({
    name: 'Date',
    expected: 'a day, such as "2026-01-31"',
    serialize: toIsoDay,
    parse: parseIsoDay,
  }),

  /** A time: ISO 8601 in UTC on the wire, unix seconds inside. Fractions of a second are dropped. */
  DateTime: createTextScalar<number>({
    name: 'DateTime',
    expected: 'ISO 8601 with a zone, such as "2026-01-31T12:00:00Z", a day in UTC, or unix seconds',
    integers: true,
    serialize: toIsoTime,
    parse: parseTime,
  }),

  /** Answers only: filters compare amounts in base units. */
  Decimal: new GraphQLScalarType({ name: 'Decimal', serialize: String }),

  /** Bytes in lower case. Input is always a 32-byte hash. */
  Hex: createTextScalar<Hex>({
    name: 'Hex',
    expected: 'a 32-byte hash: 0x and 64 hexadecimal digits',
    serialize: (value) => value,
    parse: (text) => (/^0x[0-9a-f]{64}$/i.test(text) ? (text.toLowerCase() as Hex) : null),
  }),

  /** Answers only. */
  JSON: new GraphQLScalarType({ name: 'JSON' }),

  /** A duration: a JSON number of whole seconds. Answers only. */
  Seconds: new GraphQLScalarType<number, number>({
    name: 'Seconds',
    serialize: (value) => {
      if (Number.isSafeInteger(value)) return value as number
      throw new GraphQLError('Seconds: expected a whole number')
    },
  }),
}

function chainIdIn(text: string): number | null {
  const id = Number(text)
  return Number.isSafeInteger(id) && id > 0 ? id : null
}
