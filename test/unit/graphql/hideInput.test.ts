import { expect, test } from 'vitest'
import { hideInput } from '../../../api/graphql/errors/hideInput.ts'

test.each([
  ['Cannot query field "statuss" on type "Intent". Did you mean "status" or "substatus"?'],
  ['Unknown argument "amount" on field "Query.intents".'],
  ['Variable "$id" of required type "BigInt!" was not provided.'],
  ['Variable "$of" of type "[AsOfBlock!]!" used in position expecting type "Int".'],
  ['Unknown directive "@cached".'],
  ['Syntax Error: Expected "{", found "}".'],
  [
    'Variable "$where" got invalid value "soon" at "where.status.in[0]"; Value "soon" does not exist.',
  ],
  ['first is 1 to 1000, not 5000'],
  ['Date: expected a day, such as "2026-01-31"'],
  [
    'ChainId: expected a chain id such as "84532" or a chain name such as "base_sepolia": { _meta { chains { chain } } } lists them',
  ],
])('what names only the schema’s own and short plain names stays: %s', (message) => {
  expect(hideInput(message)).toBe(message)
})

const KEY = '5ec2e7'.repeat(10)

test.each([
  [
    `Cannot query field "k${KEY}" on type "Intent".`,
    'Cannot query field (not shown) on type "Intent".',
  ],
  [
    'Int cannot represent non-integer value: "two \\"words\\""',
    'Int cannot represent non-integer value: (not shown)',
  ],
  [
    `Int cannot represent non-integer value: ${KEY}`,
    'Int cannot represent non-integer value: (not shown)',
  ],
  [
    'String cannot represent value: { two words: 1, in: { it: 2 } }',
    'String cannot represent value: (not shown)',
  ],
  [
    `Variable "$day" got invalid value "${KEY}"; Date: expected a day, such as "2026-01-31"`,
    'Variable "$day" got invalid value (not shown); Date: expected a day, such as "2026-01-31"',
  ],
  [
    `found """key ${KEY}: expected a day, such as "2026-01-31" ${KEY}"""`,
    'found ""(not shown)2026-01-31(not shown)""',
  ],
  ['Expected String, found """\ntwo words\n""".', 'Expected String, found ""(not shown)"".'],
])('the rest of what was sent goes: %s', (message, shown) => {
  expect(hideInput(message)).toBe(shown)
})

// Each took more than a minute when the time grew with the square of its length: the test’s own time limit is the measure.
test.each([
  ['a path of brackets', `"a${']'.repeat(500_000)} "`, '(not shown)'],
  ['objects that never end', '{ '.repeat(300_000), '{ '.repeat(300_000)],
  ['a text that never ends', `"${'\\"'.repeat(300_000)}`, '(not shown)'],
])('a message as long as a request is soon looked through: %s', (_, message, shown) => {
  expect(hideInput(message)).toBe(shown)
})
