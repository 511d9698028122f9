import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { checksummed } from '../../http/checksummed.ts'
import { textScalar } from './textScalar.ts'

/** An account; checksummed going out, lower case inside. */
export const addressScalar = textScalar<Hex>({
  name: 'Address',
  expected: 'an address: 0x and 40 hexadecimal digits',
  serialize: checksummed,
  parse: (text) => (/^0x[0-9a-f]{40}$/i.test(text) ? (text.toLowerCase() as Hex) : null),
})
