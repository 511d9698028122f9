import { textScalar } from './textScalar.ts'

/** As wide as the database's `numeric(78,0)`, which holds every uint256. */
const DIGITS = /^(-?\d{1,78}|0x[0-9a-f]{1,64})$/i

/** An integer of any size; a decimal string on the wire, a bigint inside. */
export const bigIntScalar = textScalar<bigint>({
  name: 'BigInt',
  expected: 'an integer, decimal or 0x hex, of at most 256 bits',
  integers: true,
  serialize: String,
  parse: (text) => (DIGITS.test(text) ? BigInt(text) : null),
})
