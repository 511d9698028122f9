import { describe, expect, test } from 'vitest'
import type { BlobContents, BundleContents } from '../../../services/enclave/port.ts'
import { type BundleState, judgeBundle } from '../../../services/relayer/bundles/judgeBundle.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'

const [ALICE, BOB] = ['11', '22'].map((byte) => `0x${byte.repeat(20)}`) as [Hex, Hex]
const SALT = `0x${'00'.repeat(32)}` as Hex

/** A bundle that pays one recipient. */
const paying = (who: Hex, n = 1): BundleContents => {
  return { recipients: [who], amounts: [5n], n, salt: SALT }
}
const contents = (who: Hex, n = 1) => paying(who, n) as BlobContents
const sent = (who: Hex, n = 1) => ({
  contents: contents(who, n),
  isSigned: true,
  isDisputed: false,
})
const unsigned = (who: Hex) => ({ ...sent(who), isSigned: false })
const onChain = (who: Hex, n = 0, isSenders = true) => ({ contents: contents(who, n), isSenders })

function judge(given: BundleContents, more: Partial<BundleState> = {}): string {
  const verdict = judgeBundle({
    ...{ stored: null, named: null, given, isSigned: true, mayBeUnsigned: false },
    ...{ isDisputable: true, isClosed: false, ...more },
  })
  return verdict.is === 'refused' ? verdict.code : verdict.is
}

describe('recipients by the sender’s signature', () => {
  test('are stored, also instead of others, with a higher number alone', () => {
    expect(judge(paying(ALICE))).toBe('store')
    expect(judge(paying(BOB, 2), { stored: sent(ALICE, 1) })).toBe('store')
    expect(judge(paying(BOB, 1), { stored: sent(ALICE, 1) })).toBe('ALREADY_STORED')
    expect(judge(paying(BOB, 1), { named: onChain(ALICE, 0) })).toBe('store')
    expect(judge(paying(BOB, 3), { named: onChain(ALICE, 3) })).toBe('ALREADY_STORED')
    // What nobody has signed for gives way whatever its number.
    expect(judge(paying(BOB, 1), { stored: unsigned(ALICE) })).toBe('store')
    expect(judge(paying(ALICE, 1), { stored: unsigned(ALICE) })).toBe('store')
  })

  test('give way on chain as soon as others are sent', () => {
    const named = onChain(ALICE, 1)
    expect(judge(paying(ALICE, 1), { named })).toBe('already')
    expect(judge(paying(ALICE, 1), { named, stored: sent(BOB, 2) })).toBe('ALREADY_STORED')
    expect(judge(paying(BOB, 2), { named: onChain(BOB, 2), stored: sent(BOB, 2) })).toBe('already')
  })

  test('end a dispute', () => {
    const stored = { ...unsigned(ALICE), isDisputed: true }
    expect(judge(paying(ALICE), { stored })).toBe('store')
    expect(judge(paying(BOB), { stored })).toBe('store')
  })

  test('come too late once recipients stand', () => {
    expect(judge(paying(ALICE), { isClosed: true })).toBe('INTENT_CLOSED')
    expect(judge(paying(BOB, 2), { isClosed: true, stored: sent(ALICE) })).toBe('ALREADY_STORED')
    // Also when they were sent in time: only what came on chain in time counts.
    const late = { isClosed: true, stored: sent(ALICE, 1) }
    expect(judge(paying(ALICE), late)).toBe('INTENT_CLOSED')
    expect(judge(paying(ALICE), { ...late, named: onChain(BOB, 0) })).toBe('ALREADY_STORED')
    expect(judge(paying(ALICE), { ...late, named: onChain(ALICE, 1) })).toBe('already')
  })
})

describe('recipients without a signature', () => {
  const strict = { isSigned: false }
  const compat = { isSigned: false, mayBeUnsigned: true }

  test('name nobody in strict, and the first in compat', () => {
    expect(judge(paying(ALICE), strict)).toBe('SIGNATURE_REQUIRED')
    expect(judge(paying(ALICE), compat)).toBe('store')
  })

  test('are taken for what the sender’s own call or signature has said', () => {
    expect(judge(paying(ALICE), { ...strict, named: onChain(ALICE) })).toBe('already')
    expect(judge(paying(ALICE), { ...strict, stored: sent(ALICE) })).toBe('already')
    for (const mode of [strict, compat]) {
      expect(judge(paying(BOB), { ...mode, named: onChain(ALICE) })).toBe('ALREADY_STORED')
      expect(judge(paying(BOB), { ...mode, stored: sent(ALICE) })).toBe('ALREADY_STORED')
    }
  })

  test('and different ones make neither count, while that can still be told', () => {
    expect(judge(paying(BOB), { ...compat, stored: unsigned(ALICE) })).toBe('dispute')
    const late = { ...compat, stored: unsigned(ALICE), isDisputable: false }
    expect(judge(paying(BOB), late)).toBe('ALREADY_STORED')
    const stored = { ...unsigned(ALICE), isDisputed: true }
    for (const who of [ALICE, BOB]) {
      expect(judge(paying(who), { ...compat, stored })).toBe('RECIPIENTS_DISPUTED')
    }
  })
})
