import { zeroAddress } from 'viem'
import { expect, test } from 'vitest'
import {
  findKeyProblem,
  type KeyState,
} from '../../../services/relayer/reconciler/watchRelayerProblems.ts'

const CHAIN = { chainId: 84532, name: 'base_sepolia' }
const SIGNER = `0x${'5'.repeat(40)}` as const
const HELD: KeyState = {
  operator: `0x${'0'.repeat(39)}1`,
  activation: 100,
  expiry: 10_000,
  revocation: 0,
  isActive: false,
  now: 1_000,
}

test.each([
  [{ isActive: true }, null, ''],
  [{ operator: zeroAddress }, 'KEY_NOT_REGISTERED', 'is not in the EnclaveKeyRegistry'],
  [
    { revocation: 500 },
    'KEY_NOT_ACTIVE',
    'was revoked on base_sepolia at 1970-01-01T00:08:20.000Z',
  ],
  [{ expiry: 1_000 }, 'KEY_NOT_ACTIVE', 'expired on base_sepolia at'],
  [{ activation: 2_000 }, 'KEY_NOT_ACTIVE', 'counts on base_sepolia from'],
  [{}, 'KEY_NOT_ACTIVE', 'the operator or the measurement'],
] as const)('a key with %j', (change, code, words) => {
  const problem = findKeyProblem(CHAIN, SIGNER, { ...HELD, ...change })
  expect(problem?.code ?? null).toBe(code)
  if (problem === null) return
  expect(problem.cause).toContain(words)
  expect(problem.fix.length).toBeGreaterThan(10)
})
