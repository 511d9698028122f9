import { describe, expect, test } from 'vitest'
import type { BlobPlaintext } from '../../../core/blob/plaintext.ts'
import { type AnchorCase, decideAnchor } from '../../../core/bundle/decideAnchor.ts'
import { type AppendCase, decideAppend } from '../../../core/bundle/decideAppend.ts'
import type { Tickets } from '../../../core/bundle/registration.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import {
  ALICE,
  ANCHORED,
  anchor,
  BOB,
  call,
  creation,
  emptyAnchor,
  INTENT,
  KEY,
  naming,
  OTHER_KEY,
  signed,
  THIEF,
  THIEF_KEY,
} from './bundleCase.ts'

const NOBODY: Tickets = { wallets: new Map(), safes: new Set() }
const registers = (...wallets: Hex[]): Tickets => ({
  wallets: new Map(wallets.map((wallet) => [wallet, { isContract: false }])),
  safes: new Set(),
})

const given = (more: Partial<AnchorCase>) =>
  decideAnchor({
    ...{ intent: INTENT, blobs: [], proposal: null, tickets: NOBODY, currentKeyId: KEY },
    ...{ now: 1_000, createdAt: 1_000, auctionDuration: 60, ...more },
  })

describe('an anchor', () => {
  test('given a creation’s blob alone, it is empty, plain, and of the recipients’ class', () => {
    const blobs = [creation(naming([ALICE, BOB, BOB]))]
    expect(given({ blobs })).toMatchObject({
      ...{ ok: true, feeBps: 250, recipientClass: 4, contents: null, keyId: KEY },
    })
  })

  test('given registered wallets among them, it repeats them and costs the shielded fee', () => {
    const blobs = [creation(naming([ALICE, BOB]))]
    expect(given({ blobs, tickets: registers(BOB) })).toMatchObject({
      ...{ ok: true, feeBps: 700, recipientClass: 2 },
      contents: { recipients: [ALICE, BOB], registered: [{ position: 1, isContract: false }] },
    })
  })

  test('given a Safe that was given out, it costs the shielded fee and replaces nobody', () => {
    const blobs = [creation(naming([ALICE, BOB]))]
    const tickets = { ...NOBODY, safes: new Set<Hex>([ALICE]) }
    expect(given({ blobs, tickets })).toMatchObject({ feeBps: 700, contents: null })
  })

  test('given a signed proposal, it carries it, with the signature and the intent’s id', () => {
    const proposal = signed(naming(ALICE, { n: 1 }))
    const { intentId } = INTENT
    expect(given({ proposal })).toMatchObject({ ok: true, contents: { ...proposal, intentId } })
    const blobs = [creation(naming(BOB))]
    expect(given({ blobs, proposal })).toMatchObject({ contents: { recipients: [ALICE] } })
  })

  test('given a proposal below what the sender has on chain, it anchors that', () => {
    const blobs = [creation(naming(BOB)), call(naming(BOB, { n: 5 }))]
    for (const proposal of [signed(naming(ALICE, { n: 5 })), naming(THIEF, { n: 9 })]) {
      expect(given({ blobs, proposal, tickets: registers(BOB) })).toMatchObject({
        contents: { recipients: [BOB] },
      })
    }
  })

  test('given an old key’s creation, the anchor is sealed to that key', () => {
    const blobs = [creation(naming(ALICE), OTHER_KEY)]
    const decided = given({ blobs, tickets: registers(ALICE) })
    expect(decided).toMatchObject({ ok: true, keyId: OTHER_KEY })
  })

  test('given the sender’s own call and no creation’s blob, it repeats what that says', () => {
    expect(given({ blobs: [call(naming(ALICE, { n: 2 }))] })).toMatchObject({
      contents: { recipients: [ALICE], n: 2 },
    })
  })

  test('given metadata for what counts, it carries that as well', () => {
    const metadata = { memo: 'rent' }
    const blobs = [creation(naming(ALICE))]
    expect(given({ blobs, proposal: naming(ALICE, { metadata }) })).toMatchObject({
      contents: { recipients: [ALICE], metadata },
    })
  })

  test.each<[string, Partial<AnchorCase>]>([
    ['RECIPIENTS_UNKNOWN', {}],
    ['RECIPIENTS_UNKNOWN', { blobs: [creation(null)] }],
    ['SIGNATURE_REQUIRED', { proposal: naming(ALICE) }],
    ['SIGNATURE_INVALID', { proposal: signed(naming(ALICE), THIEF_KEY) }],
    ['RECIPIENTS_INVALID', { proposal: naming(INTENT.tokenB) }],
    ['RECIPIENTS_UNKNOWN', { proposal: signed(naming(ALICE, { user: THIEF })) }],
  ])('is refused: %s', (code, more) => {
    expect(given(more)).toMatchObject({ ok: false, code })
  })

  test('in compat nobody’s word waits for a third of the auction, and for 20 seconds at most', () => {
    const intent = { ...INTENT, mode: 'compat' as const }
    const at = (now: number, auctionDuration: number) =>
      given({ intent, proposal: naming(ALICE), now, auctionDuration })
    expect(at(1_009, 30)).toMatchObject({ code: 'TOO_EARLY' })
    expect(at(1_010, 30)).toMatchObject({ ok: true })
    expect(at(1_019, 3_600)).toMatchObject({ code: 'TOO_EARLY' })
    expect(at(1_020, 3_600)).toMatchObject({ ok: true })
    const proposal = signed(naming(ALICE, { n: 1 }))
    expect(given({ intent, proposal })).toMatchObject({ ok: true })
  })

  test('in compat a sender’s blob under another key leaves it to the sender’s signature', () => {
    const intent = { ...INTENT, mode: 'compat' as const }
    const blobs = [creation(null, OTHER_KEY)]
    const later = { intent, blobs, now: 2_000 }
    expect(given({ ...later, proposal: naming(THIEF) })).toMatchObject({
      code: 'SIGNATURE_REQUIRED',
    })
    const proposal = signed(naming(ALICE, { n: 1 }))
    expect(given({ ...later, proposal })).toMatchObject({ ok: true })
  })
})

const anchored = (more: Partial<AppendCase>) =>
  decideAppend({
    ...{ intent: ANCHORED, feeBps: 250, proposal: null, tickets: NOBODY, isOver: false },
    ...{ blobs: [creation(naming(ALICE)), emptyAnchor], ...more },
  })

describe('an append', () => {
  test('given a higher number with the sender’s signature, it replaces the recipients', () => {
    const proposal = signed(naming(BOB, { n: 1 }))
    expect(anchored({ proposal })).toMatchObject({ ok: true, keyId: KEY, contents: proposal })
  })

  test('given a shielded intent, it says which of the new ones are registered', () => {
    const proposal = signed(naming(BOB, { n: 1 }))
    const registered = [{ position: 0, isContract: false }]
    expect(anchored({ proposal, feeBps: 700, tickets: registers(BOB) })).toMatchObject({
      ...{ ok: true, registered },
    })
  })

  test('given what the sender named by a call, it says which of those are registered', () => {
    const named = naming(BOB, { n: 1 })
    const blobs = [creation(naming(ALICE)), emptyAnchor, call(named)]
    const tickets = registers(BOB)
    expect(anchored({ blobs, feeBps: 700, tickets })).toMatchObject({
      ...{ ok: true, contents: { recipients: [BOB], n: 1 } },
    })
    const done = [...blobs, anchor({ ...named, registered: [] })]
    expect(anchored({ blobs: done, feeBps: 700, tickets })).toMatchObject({
      code: 'NOTHING_TO_APPEND',
    })
  })

  test('given metadata for what counts, it carries that and no recipients', () => {
    const proposal = naming(ALICE, { metadata: { memo: 'rent' }, viewers: [BOB] })
    expect(anchored({ proposal })).toMatchObject({
      contents: { recipients: [], amounts: [], metadata: { memo: 'rent' }, viewers: [BOB] },
    })
  })

  const five = (named: BlobPlaintext = naming(Array<Hex>(9).fill(BOB), { n: 1 })) => signed(named)

  test.each<[string, Partial<AppendCase>]>([
    ['NOTHING_TO_APPEND', {}],
    ['NOTHING_TO_APPEND', { proposal: naming(ALICE) }],
    ['SIGNATURE_REQUIRED', { proposal: naming(BOB, { n: 1 }) }],
    ['SIGNATURE_INVALID', { proposal: signed(naming(BOB, { n: 1 }), THIEF_KEY) }],
    ['N_TOO_LOW', { proposal: signed(naming(BOB, { n: 0 })) }],
    ['CLASS_EXCEEDED', { proposal: five() }],
    ['FEE_TIER_FIXED', { proposal: signed(naming(BOB, { n: 1 })), tickets: registers(BOB) }],
    ['RECIPIENTS_INVALID', { proposal: signed(naming(INTENT.tokenB, { n: 1 })) }],
    ['RECIPIENTS_UNKNOWN', { blobs: [anchor(naming(THIEF))] }],
  ])('is refused: %s', (code, more) => {
    expect(anchored(more)).toMatchObject({ ok: false, code })
  })
})
