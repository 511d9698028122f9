import { textScalar } from './textScalar.ts'

/** A block's number: a JSON number going out; as text it may come in too. */
export const blockNumberScalar = textScalar<number>({
  name: 'BlockNumber',
  expected: 'a block number',
  integers: true,
  serialize: (value) => value,
  parse: (text) => (/^\d{1,15}$/.test(text) ? Number(text) : null),
})
