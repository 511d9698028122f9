import { expect, test } from 'vitest'
import { parseOptions } from '../../../tools/report/parseOptions.ts'

test('a period is given by dates, times or blocks', () => {
  expect(parseOptions(['--from', '2026-09-01', '--to', '2026-09-30T12:00:00Z'])).toMatchObject({
    command: 'write',
    from: { kind: 'time', seconds: 1_788_220_800, isDay: true },
    to: { kind: 'time', seconds: 1_790_769_600, isDay: false },
    directory: 'cairn-report',
  })
  const blocks = ['--from', 'base_testnet=5', '--from', 'horizen_testnet=6', '--to', '9']
  expect(parseOptions(['diff', ...blocks])).toMatchObject({
    command: 'diff',
    from: {
      kind: 'blocks',
      all: null,
      byChain: new Map([
        ['base_sepolia', 5],
        ['horizen_testnet', 6],
      ]),
    },
    to: { kind: 'blocks', all: 9 },
  })
  expect(parseOptions([])).toMatchObject({ from: null, to: null, chains: [] })
})

test.each([
  [['--from', 'yesterday'], '"yesterday" isn’t a date'],
  [['--from', '2026-02-30'], '2026-02-30 doesn’t exist'],
  [['--from', '2026-09-01', '--from', '5'], '"2026-09-01" isn’t a date'],
  [['--to', '1.5'], '"1.5" isn’t a date'],
  [['--to', 'base_sepolia=1', '--to', 'base_testnet=2'], '--to names base_sepolia twice'],
  [['verify'], 'name one folder'],
  [['verify', 'a', 'b'], 'name one folder'],
  [['verify', 'a', '--signer', '0x12'], '"0x12" isn’t an address'],
  [['balance'], 'unknown command "report balance"'],
  [['diff', 'x'], 'unexpected argument "x"'],
  [['--colour'], '--colour'],
])('%j is refused: %s', (args, words) => {
  expect(() => parseOptions(args)).toThrow(words.replace('’', "'"))
})
