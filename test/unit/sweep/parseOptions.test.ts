import { describe, expect, test } from 'vitest'
import { NATIVE } from '../../../sdk/safe/transferCall.ts'
import { SweepError } from '../../../tools/sweep/sweepError.ts'
import { parseOptions } from '../../../tools/sweep/sweepOptions.ts'

const TO = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const RPC = 'https://node.example/a-key'

describe('the command line', () => {
  test('only a node and a destination are required', () => {
    expect(parseOptions(['--rpc', RPC, '--to', TO.toLowerCase()], {})).toEqual({
      rpcUrl: RPC,
      to: TO,
      keyFile: null,
      payerFile: null,
      tokens: null,
      fromBlock: 0n,
      safe: null,
      safeContractsFile: null,
      maxFeePerGas: null,
      dryRun: false,
      json: false,
    })
    expect(parseOptions(['--to', TO], { SWEEP_RPC_URL: RPC })?.rpcUrl).toBe(RPC)
    expect(parseOptions(['--help'], {})).toBeNull()
  })

  test('tokens are addresses or "native", each once', () => {
    const args = ['--rpc', RPC, '--to', TO, '--token', 'native', '--token', TO, '--token', TO]
    expect(parseOptions(args, {})?.tokens).toEqual([NATIVE, TO])
  })

  test('the price limit is in gwei', () => {
    const limitOf = (text: string) =>
      parseOptions(['--rpc', RPC, '--to', TO, '--max-fee-gwei', text], {})?.maxFeePerGas
    expect([limitOf('12'), limitOf('0.5')]).toEqual([12_000_000_000n, 500_000_000n])
  })

  test('mistakes are refused with the reason', () => {
    const complete = ['--rpc', RPC, '--to', TO]
    for (const [args, said] of [
      [['--to', TO], '--rpc is missing'],
      [['--rpc', RPC], '--to is missing'],
      [['--rpc', 'node.example', '--to', TO], '--rpc must be a URL'],
      [['--rpc', RPC, '--to', '0x12'], '--to is not an address'],
      [['--rpc', RPC, '--to', TO.replace('5aA', '5Aa')], 'checksum'],
      [['--rpc', RPC, '--to', NATIVE], 'zero address'],
      [[...complete, '--from-block', '-1'], 'from-block'],
      [[...complete, '--from-block', '1e3'], '--from-block is not a block number'],
      [[...complete, '--max-fee-gwei', '-1'], 'max-fee-gwei'],
      [[...complete, '--max-fee-gwei', 'all'], '--max-fee-gwei is not an amount'],
      [[...complete, '--token', 'USDC'], '--token is not an address'],
      [[...complete, '--nonsense'], '--nonsense'],
      [[...complete, 'stray'], 'stray'],
    ] as const) {
      expect(() => parseOptions(args, {}), args.join(' ')).toThrow(SweepError)
      expect(() => parseOptions(args, {})).toThrow(said)
    }
  })
})
