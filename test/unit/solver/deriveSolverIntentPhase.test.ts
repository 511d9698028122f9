import { describe, expect, it } from 'vitest'
import {
  deriveOutcome,
  deriveSolverIntentPhase,
  mayBeReplaced,
} from '../../../services/solver/plan/deriveSolverIntentPhase.ts'
import type {
  IntentSnapshot,
  PendingTransaction,
} from '../../../services/solver/plan/solverSnapshot.ts'
import { BASE, OPEN, RIVAL, snapshotOf, US } from './solverTestbed.ts'

const ours: IntentSnapshot = { ...OPEN, solver: US, amountB: 960_000_000n }
const won: IntentSnapshot = { ...ours, phase: 'deposited', fillDeadline: 300, isConfirmed: true }
const about = (kind: 'bid' | 'deposit' | 'deliver'): PendingTransaction => ({
  kind,
  sourceChainId: BASE,
  intentId: 1n,
  amountB: 960_000_000n,
})
const delivery = { chain2IntentId: 7n, isConfirmed: false }

describe('the phase of an intent', () => {
  it.each<[string, IntentSnapshot, PendingTransaction[]]>([
    ['bidding', OPEN, [about('bid')]],
    ['leading', ours, []],
    ['outbid', { ...ours, solver: RIVAL }, []],
    ['depositing', ours, [about('deposit')]],
    ['delivering', won, []],
    ['delivering', { ...won, fillDeadline: 50 }, [about('deliver')]],
    ['missed', { ...won, fillDeadline: 80 }, []],
    ['settling', { ...won, delivery }, []],
    ['over', { ...won, phase: 'settled' }, []],
    ['over', { ...won, solver: RIVAL }, []],
  ])('is %s', (phase, intent, pending) => {
    expect(deriveSolverIntentPhase(intent, snapshotOf(80, [intent], { pending }))).toBe(phase)
  })
})

describe('the outcome of an intent', () => {
  it.each<[string | null, IntentSnapshot, number]>([
    [null, ours, 119],
    ['slashed', ours, 120],
    ['lost', { ...ours, solver: RIVAL }, 120],
    ['lost', { ...won, solver: RIVAL }, 110],
    [null, { ...won, solver: RIVAL, isConfirmed: false }, 110],
    [null, won, 999],
    ['settled', { ...won, phase: 'settled' }, 110],
    [null, { ...won, phase: 'settled', isConfirmed: false }, 110],
    ['lost', { ...won, phase: 'settled', solver: RIVAL }, 110],
    ['slashed', { ...won, phase: 'refunded' }, 999],
    ['slashed', { ...won, phase: 'refunded', asked: true, revealed: true }, 999],
    ['lost', { ...won, phase: 'refunded', asked: true }, 999],
    ['lost', { ...won, phase: 'refunded', solver: RIVAL }, 999],
    ['slashed', { ...ours, phase: 'refunded' }, 999],
    ['cancelled', { ...OPEN, phase: 'cancelled', isConfirmed: true }, 90],
  ])('is %s', (outcome, intent, time) => {
    expect(deriveOutcome(intent, snapshotOf(time, [intent]))).toBe(outcome)
  })
})

describe('a best bid that another deposit may have replaced', () => {
  const bid = 960_000_000n
  // The second window goes from 110 to 120, and the execution window is 200.
  const taken = { ...won, solver: RIVAL, fillDeadline: 311 }
  it.each<[boolean, string, IntentSnapshot, bigint | null, number]>([
    [true, 'a deposit in the second window', taken, bid, 130],
    [true, 'a deposit as the second window opens', { ...taken, fillDeadline: 310 }, bid, 130],
    [false, 'a deposit in the first one', { ...taken, fillDeadline: 309 }, bid, 130],
    [false, 'no deposit', { ...taken, fillDeadline: 0 }, bid, 130],
    [false, 'no bid of ours', taken, null, 130],
    [false, 'so long ago that nodes may have no logs', taken, bid, 8 * 86_400],
  ])('is %s after %s', (expected, _, intent, myBid, time) => {
    expect(mayBeReplaced(intent, myBid, snapshotOf(time, [intent]))).toBe(expected)
  })
})
