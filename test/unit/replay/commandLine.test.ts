import { describe, expect, test } from 'vitest'
import { ToolError } from '../../../tools/commandLine.ts'
import { progressLine } from '../../../tools/progressBar.ts'
import { csvLines, jsonLines } from '../../../tools/replay/exportRows.ts'
import { parseOptions } from '../../../tools/replay/parseOptions.ts'

describe('the command line', () => {
  test('the defaults: all chains to their heads, nothing compared or written', () => {
    expect(parseOptions([])).toEqual({
      help: false,
      compare: false,
      json: false,
      asOf: null,
      asOfChain: new Map(),
      chains: [],
      exportTo: null,
      format: 'ndjson',
      differences: 20,
    })
  })

  test('--as-of takes one block for all chains, or one per chain name or alias', () => {
    const options = parseOptions(['--as-of', '5', '--as-of', 'base_testnet=9', '--as-of=own=0'])
    expect(options.asOf).toBe(5)
    expect(options.asOfChain).toEqual(
      new Map([
        ['base_sepolia', 9],
        ['own', 0],
      ]),
    )
  })

  test('mistakes are refused with the reason', () => {
    for (const [args, said] of [
      [['--as-of', 'soon'], '"soon" is not a whole number'],
      [['--as-of', 'base_sepolia=-1'], '"-1" is not a whole number'],
      [['--as-of', '1e3'], '"1e3" is not a whole number'],
      [['--as-of', '99999999999999999999'], 'is not a whole number'],
      [['--as-of', 'own=1', '--as-of', 'own=2'], '--as-of names own twice'],
      [
        ['--as-of', 'base_testnet=1', '--as-of', 'base_sepolia=1'],
        '--as-of names base_sepolia twice',
      ],
      [['--as-of', '1', '--as-of', '2'], '--as-of names all chains twice'],
      [['--chain', 'own', '--chain', 'own'], '--chain names own twice'],
      [['--format', 'xml'], '--format is ndjson or csv'],
      [['--differences', 'all'], '--differences'],
      [['--nonsense'], "Unknown option '--nonsense': see --help"],
      [['stray'], "Unexpected argument 'stray': see --help"],
    ] as const) {
      expect(() => parseOptions(args)).toThrow(ToolError)
      expect(() => parseOptions(args)).toThrow(said)
    }
  })
})

test('the progress line shows share, block, events and rate', () => {
  const step = { chain: 'base_sepolia', from: 101, to: 200, at: 150, events: 12_000 }
  expect(progressLine(step, 2_000)).toBe(
    `base_sepolia ${'█'.repeat(15)}${'░'.repeat(15)}  50 %  block 150  12,000 events  6,000/s`,
  )
  expect(progressLine({ ...step, at: 200 }, 0)).toContain('100 %')
})

describe('exported rows', () => {
  const row = {
    chainId: 1,
    token: '0xa"b' as never,
    open: 2n ** 70n,
    stakes: 0n,
    credits: 0n,
    deliveryCredits: 0n,
    fees: 0n,
  }

  test('are JSON with SQL names and exact integers', () => {
    expect([...jsonLines('escrow', [row])]).toEqual([
      '{"chain_id":1,"token":"0xa\\"b","open":"1180591620717411303424","stakes":"0","credits":"0","delivery_credits":"0","fees":"0"}\n',
    ])
  })

  test('are CSV with a header, quoted where needed, null as an empty field', () => {
    expect([...csvLines('escrow', [{ ...row, fees: null as never }])]).toEqual([
      'chain_id,token,open,stakes,credits,delivery_credits,fees\r\n',
      '1,"0xa""b",1180591620717411303424,0,0,0,\r\n',
    ])
    const event = { type: 'TokenDelisted', args: { token: '0x1' } } as never
    expect([...csvLines('event', [event])][1]).toContain('"{""token"":""0x1""}"')
  })
})
