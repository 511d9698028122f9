import { HttpRequestError, RpcRequestError } from 'viem'
import { describe, expect, it } from 'vitest'
import { classifyRefusals } from '../../../services/chain/transactions/classifyRefusals.ts'

const said = (message: string) =>
  new RpcRequestError({
    body: { method: 'eth_sendRawTransaction', params: ['0xnonce too low'] },
    error: { code: -32_000, message },
    url: 'https://rpc.example/k3y',
  })

const away = new HttpRequestError({
  body: { method: 'eth_sendRawTransaction' },
  details: 'nonce too low',
  status: 503,
  url: 'https://rpc.example/k3y',
})

/** What nodes say, by what it means. */
const SAYINGS: Record<string, string[]> = {
  taken: ['already known', 'AlreadyKnown', 'transaction already imported', 'Known transaction'],
  spent: ['nonce too low: next nonce 5, tx nonce 4', 'OldNonce', 'NONCE_TOO_LOW'],
  underpriced: [
    'replacement transaction underpriced',
    'transaction underpriced: tip needed 25, tip permitted 1',
    'TRANSACTION_REPLACEMENT_UNDERPRICED',
    'max fee per gas less than block base fee: address 0x00',
    'FeeTooLow',
    'FeeTooLowToCompete',
    'Transaction gas price below current base fee',
    'ReplacementNotAllowed',
    'could not replace existing tx',
  ],
  'wrong-gas': [
    'intrinsic gas too low: gas 20000, minimum needed 21000',
    'exceeds block gas limit',
    'EXCEEDS_BLOCK_GAS_LIMIT',
    'transaction gas limit too high (cap: 16777216, tx: 20000000)',
    'insufficient gas for floor data gas cost: gas 21000, minimum needed 30000',
    'GasLimitExceeded',
  ],
  invalid: [
    'oversized data: transaction size 140000, limit 131072',
    'transaction type not supported',
    'invalid sender',
    'invalid chain id for signer: have 1 want 2',
  ],
  later: [
    'insufficient funds for gas * price + value: balance 1, tx cost 2, overshot 1',
    'txpool is full',
    'tx fee (1.50 ether) exceeds the configured cap (1.00 ether)',
    'nonce too high',
    'something that nobody has ever heard',
  ],
}

describe('a refusal', () => {
  const table = Object.entries(SAYINGS).flatMap(([is, words]) => words.map((one) => [one, is]))
  it.each(table)('"%s" means %s', (words, is) => {
    expect(classifyRefusals([said(words as string)]).is).toBe(is)
  })

  it('says what an operator can look for, in the node’s own words and without a key', () => {
    expect(classifyRefusals([said('insufficient funds for gas')])).toEqual({
      ...{ is: 'later', problem: 'OUT_OF_GAS', detail: 'insufficient funds for gas' },
    })
    const reported = classifyRefusals([said('see https://rpc.example/k3y for why')])
    expect(reported).toMatchObject({ problem: 'NOT_TAKEN' })
    expect(JSON.stringify([reported, classifyRefusals([away])])).not.toContain('k3y')
  })

  it('of a provider that doesn’t answer is none, whatever it says', () => {
    expect(classifyRefusals([away])).toMatchObject({ is: 'later', problem: 'RPC_UNREACHABLE' })
  })

  it('of one provider is decided by what another has seen', () => {
    expect(classifyRefusals([away, said('already known')]).is).toBe('taken')
    expect(classifyRefusals([said('txpool is full'), said('nonce too low')]).is).toBe('spent')
  })

  it('gives nothing up by the word of one', () => {
    const invalid = said('transaction type not supported')
    expect(classifyRefusals([invalid, away])).toMatchObject({ problem: 'RPC_UNREACHABLE' })
    expect(classifyRefusals([invalid, said('txpool is full')])).toMatchObject({
      problem: 'NOT_TAKEN',
    })
    expect(classifyRefusals([invalid, invalid]).is).toBe('invalid')
  })
})
