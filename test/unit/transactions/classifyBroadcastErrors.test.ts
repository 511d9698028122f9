import { HttpRequestError, RpcRequestError } from 'viem'
import { describe, expect, it } from 'vitest'
import { classifyBroadcastErrors } from '../../../services/chain/transactions/classifyBroadcastErrors.ts'

const refusal = (message: string) =>
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
const MESSAGES: Record<string, string[]> = {
  accepted: ['already known', 'AlreadyKnown', 'transaction already imported', 'Known transaction'],
  'nonce-used': ['nonce too low: next nonce 5, tx nonce 4', 'OldNonce', 'NONCE_TOO_LOW'],
  underpriced: [
    'replacement transaction underpriced',
    'transaction underpriced: tip needed 25, tip permitted 1',
    'TRANSACTION_REPLACEMENT_UNDERPRICED',
    'max fee per gas less than block base fee: address 0x00',
    'FeeTooLow',
    'FeeTooLowToCompete',
    'transaction priority fee below minimum required priority fee 20000000000',
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
    'gas limit is too high',
    'exceeds max transaction gas limit',
    'TxGasLimitCapExceeded: Gas limit 20000000 exceeded cap of 16777216.',
    'Transaction gas limit must be at most 16777216',
  ],
  'too-costly': [
    'tx fee (1.50 ether) exceeds the configured cap (1.00 ether)',
    'tx fee (1500000000000000000 wei) exceeds the configured cap (1000000000000000000 wei)',
  ],
  invalid: [
    'oversized data: transaction size 140000, limit 131072',
    'transaction type not supported',
    'invalid sender',
    'invalid chain id for signer: have 1 want 2',
  ],
  retry: [
    'insufficient funds for gas * price + value: balance 1, tx cost 2, overshot 1',
    'txpool is full',
    'tx fee exceeds the configured cap',
    'nonce too high',
    'something that nobody has ever heard',
  ],
}

describe('a refusal', () => {
  const table = Object.entries(MESSAGES).flatMap(([kind, messages]) =>
    messages.map((one) => [one, kind]),
  )
  it.each(table)('"%s" means %s', (message, kind) => {
    expect(classifyBroadcastErrors([refusal(message as string)]).kind).toBe(kind)
  })

  it('carries the node’s message for the operator, without an RPC key', () => {
    expect(classifyBroadcastErrors([refusal('insufficient funds for gas')])).toEqual({
      kind: 'retry',
      problem: 'OUT_OF_GAS',
      detail: 'insufficient funds for gas',
    })
    const reported = classifyBroadcastErrors([refusal('see https://rpc.example/k3y for why')])
    expect(reported).toMatchObject({ problem: 'NOT_TAKEN' })
    expect(JSON.stringify([reported, classifyBroadcastErrors([away])])).not.toContain('k3y')
  })

  it('doesn’t follow from a provider that doesn’t answer', () => {
    expect(classifyBroadcastErrors([away])).toMatchObject({
      kind: 'retry',
      problem: 'RPC_UNREACHABLE',
    })
  })

  it('counts if a host sends it with a status for bad requests', () => {
    const withStatus = (status: number, details: string) =>
      new HttpRequestError({ status, details, url: 'https://rpc.example/k3y' })
    const kindOf = (status: number, details: string) =>
      classifyBroadcastErrors([withStatus(status, details)])
    const error = '{"code":-32000,"message":"transaction underpriced"}'
    expect(kindOf(400, error).kind).toBe('underpriced')
    for (const [status, details] of [
      [400, 'Bad Request'],
      [403, error],
    ] as const)
      expect(kindOf(status, details)).toMatchObject({ problem: 'RPC_UNREACHABLE' })
  })

  it.each(['tip ', 'nonce '])('that repeats “%s” 30,000 times is read at once', (word) => {
    const began = performance.now()
    const endless = refusal(word.repeat(30_000))
    expect(classifyBroadcastErrors([endless]).kind).toBe('retry')
    expect(performance.now() - began).toBeLessThan(1_000)
  })

  it('that isn’t text tells nothing', () => {
    const error = refusal(['nonce too low'] as never)
    expect(classifyBroadcastErrors([error])).toMatchObject({ problem: 'NOT_TAKEN' })
  })

  it('by one provider is overruled by what another has seen', () => {
    expect(classifyBroadcastErrors([away, refusal('already known')]).kind).toBe('accepted')
    expect(
      classifyBroadcastErrors([refusal('txpool is full'), refusal('nonce too low')]).kind,
    ).toBe('nonce-used')
  })

  it('for a used nonce by one provider doesn’t hide that another wants more', () => {
    const used = refusal('nonce too low')
    for (const [words, kind] of [
      ['max fee per gas less than block base fee', 'underpriced'],
      ['exceeds block gas limit', 'wrong-gas'],
    ] as const)
      expect(classifyBroadcastErrors([used, refusal(words)]).kind).toBe(kind)
  })

  it('by one provider alone doesn’t give a transaction up', () => {
    const invalid = refusal('transaction type not supported')
    expect(classifyBroadcastErrors([invalid, away])).toMatchObject({ problem: 'RPC_UNREACHABLE' })
    expect(classifyBroadcastErrors([invalid, refusal('txpool is full')])).toMatchObject({
      problem: 'NOT_TAKEN',
    })
    expect(classifyBroadcastErrors([invalid, invalid]).kind).toBe('invalid')
  })
})
