import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { textScalar } from './textScalar.ts'

/** Bytes; lower case inside and going out. As input always a 32-byte hash. */
export const hexScalar = textScalar<Hex>({
  name: 'Hex',
  expected: 'a 32-byte hash: 0x and 64 hexadecimal digits',
  serialize: (value) => value,
  parse: (text) => (/^0x[0-9a-f]{64}$/i.test(text) ? (text.toLowerCase() as Hex) : null),
})
