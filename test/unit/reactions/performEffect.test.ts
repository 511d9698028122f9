import { describe, expect, test } from 'vitest'
import { EnclaveError, type EnclaveErrorCode } from '../../../services/enclave/enclaveError.ts'
import { performEffect } from '../../../services/relayer/reconciler/perform/performEffect.ts'

type Arguments = Parameters<typeof performEffect>

/** Enclaves that answer every evidence with the same code. */
function reactorThatHears(code: EnclaveErrorCode): Arguments[0] {
  const prover = {
    deep: async () => {
      throw new EnclaveError(code)
    },
    forget: async () => {},
  }
  const signing = { proverOn: () => prover, judgeOn: () => null }
  const configured = new Map([[1, { confirmations: 1 }]])
  return { signing, configured } as unknown as Arguments[0]
}

const source = {
  ...{ sourceChainId: 1, destChainId: 1, intentId: 7n },
  ...{ tokenA: '0x', amountA: 1n, reward: 1n, tokenB: '0x', winningAmountB: 1n },
}
const state = {
  facts: { source, deliveries: [] },
  clocks: new Map(),
  depositBlock: 1,
} as unknown as Arguments[1]
const effect = {
  kind: 'settle',
  deliveries: [{ destChainId: 1, tokenB: '0x', amountB: 1n, solvedBlock: 1 }],
} as unknown as Arguments[2]

test.each([
  ['undelivered', 'deposited'],
  ['settle', 'deposited'],
  ['refund', 'open'],
])('what a missing chain prevents (%s) is done once the chain is there', async (kind, phase) => {
  const reactor = { configured: new Map() } as unknown as Arguments[0]
  const facts = { source: { ...source, phase }, deliveries: [] }
  const of = [reactor, { ...state, facts }, { ...effect, kind }] as unknown as Arguments
  const outcome = await performEffect(...of)
  expect(outcome).toMatchObject({ is: 'waiting', reason: 'CHAIN_NOT_CONFIGURED' })
})

describe('what the enclave says of a delivery', () => {
  test('that it isn’t there stands as long as the chain does', async () => {
    const outcome = await performEffect(reactorThatHears('NOT_DELIVERED'), state, effect)
    expect(outcome).toMatchObject({ is: 'refused', reason: 'NOT_DELIVERED' })
  })

  test.each([
    'KEY_MISSING',
    'PROVIDERS_UNREACHABLE',
    'BLOCK_NOT_AGREED',
    'EVIDENCE_INVALID',
    'NOT_CONFIRMED',
  ] as const)('%s may pass: tried again, and nobody loses its bond', async (code) => {
    const outcome = await performEffect(reactorThatHears(code), state, effect)
    expect(outcome).toMatchObject({ is: 'waiting', reason: code })
  })
})
