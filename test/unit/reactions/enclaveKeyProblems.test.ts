import { zeroAddress } from 'viem'
import { expect, test } from 'vitest'
import {
  findKeyProblem,
  findSealingKeyProblem,
  type KeyState,
} from '../../../services/relayer/reconciler/enclaveKeyProblems.ts'

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
  // In the last quarter of its life, or the last week of a long one.
  [{ isActive: true, now: 7_524 }, null, ''],
  [{ isActive: true, now: 7_525 }, 'KEY_EXPIRES', 'expires on base_sepolia at'],
  [{ isActive: true, now: 2_592_000 - 604_801, expiry: 2_592_000 }, null, ''],
  [{ isActive: true, now: 2_592_000 - 604_800, expiry: 2_592_000 }, 'KEY_EXPIRES', 'at 1970-01-31'],
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

test('senders’ key must be one with which an active key of some enclave was registered', () => {
  const [current, old] = [`0x04${'a'.repeat(128)}`, `0x04${'b'.repeat(128)}`] as const
  const codeOf = (...states: Parameters<typeof findSealingKeyProblem>[2]) =>
    findSealingKeyProblem(CHAIN, current, states)?.code ?? null
  const isActive = true
  expect(codeOf({ isActive, eciesKey: old })).toBe('SEALING_KEY_UNREGISTERED')
  expect(codeOf({ isActive, eciesKey: old }, null)).toBe('SEALING_KEY_UNREGISTERED')
  expect(codeOf({ isActive, eciesKey: old }, { isActive: false, eciesKey: current })).toBe(
    'SEALING_KEY_UNREGISTERED',
  )
  expect(codeOf({ isActive, eciesKey: old }, { isActive, eciesKey: current })).toBe(null)
  // One that can't be asked isn't accused.
  const wordsOf = (...states: Parameters<typeof findSealingKeyProblem>[2]) =>
    findSealingKeyProblem(CHAIN, current, states)?.cause
  expect(wordsOf({ isActive, eciesKey: old }, null)).toContain('1 of 2 enclaves can’t be asked')
  expect(wordsOf({ isActive, eciesKey: old })).toContain('no enclave’s key')
  // No key is active: that is reported as such.
  expect(codeOf({ isActive: false, eciesKey: old })).toBe(null)
})
