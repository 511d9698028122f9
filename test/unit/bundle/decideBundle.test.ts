import { zeroHash } from 'viem'
import { describe, expect, test } from 'vitest'
import {
  type BundleState,
  MAX_BLOBS,
} from '../../../core/recipientBundle/decide/bundleDecisionState.ts'
import type { AnchorCommand } from '../../../core/recipientBundle/decide/decideAnchor.ts'
import type { AppendCommand } from '../../../core/recipientBundle/decide/decideAppend.ts'
import type { StoreCommand } from '../../../core/recipientBundle/decide/decideStore.ts'
import { decideBundle } from '../../../core/recipientBundle/decideBundle.ts'
import type { ReadBlob } from '../../../core/recipientBundle/findEffectiveBundle.ts'
import type { Tickets } from '../../../core/recipientBundle/findRegisteredRecipients.ts'
import type { BlobPlaintext } from '../../../core/recoveryBlob/plaintextFormat.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import {
  ALICE,
  ANCHORED,
  anchor,
  append,
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

const SALT: Hex = `0x${'5a'.repeat(32)}`
/** As an append of metadata alone has them. */
const NO_RECIPIENTS = { recipients: [], amounts: [] }

const NOBODY: Tickets = { wallets: new Map(), safes: new Set() }
const registers = (...wallets: Hex[]): Tickets => ({
  wallets: new Map(wallets.map((wallet) => [wallet, { isContract: false }])),
  safes: new Set(),
})

const CREATED: BundleState = {
  intent: INTENT,
  blobs: [],
  feeBps: 0,
  createdAt: 1_000,
  auctionDuration: 60,
  isFirm: false,
  stored: null,
}
const COMPAT = { intent: { ...INTENT, mode: 'compat' as const } }

/** given a state, when a command comes, then this is decided. */
function given(more: Partial<BundleState> = {}) {
  const state = { ...CREATED, ...more }
  const then = (decision: unknown) => ({
    decides: (what: object) => expect(decision).toMatchObject(what),
  })
  return {
    whenAnchored(command: Partial<AnchorCommand> = {}) {
      const keys = { currentKeyId: KEY, hasKey: () => true }
      const rest = { proposal: null, tickets: NOBODY, ...keys, now: 1_000 }
      return then(decideBundle({ type: 'anchor', ...rest, ...command }, state))
    },
    whenAppended(command: Partial<AppendCommand> = {}) {
      const rest = { proposal: null, tickets: NOBODY }
      return then(decideBundle({ type: 'append', ...rest, ...command }, state))
    },
    whenStored(bundle: StoreCommand['bundle'], command: Partial<StoreCommand> = {}) {
      const rest = { isSigned: true, now: 1_000 }
      return then(decideBundle({ type: 'store', bundle, ...rest, ...command }, state))
    },
  }
}

describe('an anchor', () => {
  test('given a creation’s blob alone, it is empty, plain, and of the recipients’ class', () => {
    given({ blobs: [creation(naming([ALICE, BOB, BOB]))] })
      .whenAnchored()
      .decides({ ok: true, feeBps: 250, recipientClass: 4, contents: null, keyId: KEY })
    given({ blobs: [creation(naming(ALICE)), call(naming(BOB, { n: 1 }))] })
      .whenAnchored()
      .decides({ ok: true, contents: null, keyId: KEY })
  })

  test('given registered wallets among them, it repeats them and costs the shielded fee', () => {
    given({ blobs: [creation(naming([ALICE, BOB]))] })
      .whenAnchored({ tickets: registers(BOB) })
      .decides({
        ok: true,
        feeBps: 700,
        recipientClass: 2,
        contents: { recipients: [ALICE, BOB], registered: [{ position: 1, isContract: false }] },
      })
  })

  test('given a Safe that was already issued, it costs the shielded fee and replaces nobody', () => {
    given({ blobs: [creation(naming([ALICE, BOB]))] })
      .whenAnchored({ tickets: { ...NOBODY, safes: new Set<Hex>([ALICE]) } })
      .decides({ feeBps: 700, contents: null })
  })

  test('given a signed proposal, it carries it, with the signature and the intent’s id', () => {
    const proposal = signed(naming(ALICE, { n: 1 }))
    const { intentId } = INTENT
    given()
      .whenAnchored({ proposal })
      .decides({ ok: true, contents: { ...proposal, intentId } })
    given({ blobs: [creation(naming(BOB))] })
      .whenAnchored({ proposal })
      .decides({ contents: { recipients: [ALICE] } })
  })

  test('given a proposal with a lower number than the sender’s on chain, it anchors the latter', () => {
    const blobs = [creation(naming(BOB)), call(naming(BOB, { n: 5 }))]
    for (const proposal of [signed(naming(ALICE, { n: 5 })), naming(THIEF, { n: 9 })]) {
      given({ blobs })
        .whenAnchored({ proposal, tickets: registers(BOB) })
        .decides({ contents: { recipients: [BOB] } })
    }
  })

  test('given a creation that says a high number, the sender’s signed proposal counts all the same', () => {
    given({ blobs: [creation(naming(BOB, { n: 9 }))] })
      .whenAnchored({ proposal: signed(naming(ALICE, { n: 1 })) })
      .decides({ contents: { recipients: [ALICE] } })
  })

  test('given an old key’s creation, the anchor is sealed to that key', () => {
    given({ blobs: [creation(naming(ALICE), OTHER_KEY)] })
      .whenAnchored({ tickets: registers(ALICE) })
      .decides({ ok: true, keyId: OTHER_KEY })
  })

  test('given the sender’s call under a newer key than the creation’s, it repeats the call’s recipients', () => {
    given({ blobs: [creation(null, OTHER_KEY), call(naming(ALICE, { n: 1 }))] })
      .whenAnchored()
      .decides({ ok: true, keyId: KEY, contents: { recipients: [ALICE] } })
  })

  test('given the sender’s call under a key that the enclave lacks, there is none: earlier recipients would be paid', () => {
    const blobs = [creation(naming(ALICE)), call(null, OTHER_KEY)]
    const hasKey = (keyId: Hex) => keyId === KEY
    const proposal = signed(naming(BOB, { n: 1 }))
    given({ blobs }).whenAnchored({ hasKey }).decides({ ok: false, code: 'KEY_MISSING' })
    given({ blobs }).whenAnchored({ hasKey, proposal }).decides({ code: 'KEY_MISSING' })
    // Under a key that it has, every enclave finds the same: nobody.
    given({ blobs })
      .whenAnchored({ proposal })
      .decides({ ok: true, contents: { n: 1 } })
  })

  test('given blobs of another layout, or a creation’s under a key that the enclave lacks, the sender’s signature counts', () => {
    const hasKey = (keyId: Hex) => keyId === KEY
    const proposal = signed(naming(ALICE, { n: 1 }))
    for (const blob of [creation(null, null), call(null, null), creation(null, OTHER_KEY)]) {
      given({ blobs: [blob] })
        .whenAnchored({ hasKey, proposal })
        .decides({ ok: true, contents: { recipients: [ALICE] } })
    }
  })

  test('given an earlier append that says of the same recipients that none is registered, there is none', () => {
    const named = naming(ALICE)
    given({ blobs: [creation(named), append(named)] })
      .whenAnchored({ tickets: registers(ALICE) })
      .decides({ ok: false, code: 'SIGNATURE_REQUIRED' })
  })

  test('given the sender’s own call and no creation’s blob, it repeats the call’s recipients', () => {
    given({ blobs: [call(naming(ALICE, { n: 2 }))] })
      .whenAnchored()
      .decides({ contents: { recipients: [ALICE], n: 2 } })
  })

  test('given metadata for the bundle that counts, it carries that as well', () => {
    const metadata = { memo: 'rent' }
    given({ blobs: [creation(naming(ALICE))] })
      .whenAnchored({ proposal: naming(ALICE, { metadata }) })
      .decides({ contents: { recipients: [ALICE], metadata } })
    given({ blobs: [creation(naming(ALICE))] })
      .whenAnchored({ proposal: naming(ALICE, { viewers: [BOB] }) })
      .decides({ contents: { recipients: [ALICE], viewers: [BOB] } })
  })

  test('given metadata for other recipients than those that count, it carries none', () => {
    const proposal = naming(THIEF, { metadata: { memo: 'rent' } })
    given({ blobs: [creation(naming(ALICE))] })
      .whenAnchored({ proposal })
      .decides({ contents: null })
  })

  test('given the recipients that count with another salt, unsigned, it carries nothing: a guess shows nothing', () => {
    const about = given({ blobs: [creation(naming(ALICE, { salt: SALT }))] })
    const more = { metadata: { memo: 'rent' } }
    about.whenAnchored({ proposal: naming(ALICE, more) }).decides({ contents: null })
    about.whenAnchored({ proposal: naming(ALICE, { ...more, salt: SALT }) }).decides({
      contents: more,
    })
    about
      .whenAnchored({ proposal: signed(naming(ALICE, more)) })
      .decides({ contents: { ...more, salt: SALT } })
  })

  test.each<[string, Partial<BundleState>, Partial<AnchorCommand>]>([
    ['RECIPIENTS_UNKNOWN', {}, {}],
    ['RECIPIENTS_UNKNOWN', { blobs: [creation(null)] }, {}],
    ['SIGNATURE_REQUIRED', {}, { proposal: naming(ALICE) }],
    ['SIGNATURE_INVALID', {}, { proposal: signed(naming(ALICE), THIEF_KEY) }],
    ['RECIPIENTS_INVALID', {}, { proposal: naming(INTENT.tokenB) }],
    ['RECIPIENTS_UNKNOWN', {}, { proposal: signed(naming(ALICE, { user: THIEF })) }],
  ])('is refused: %s', (code, state, command) => {
    given(state).whenAnchored(command).decides({ ok: false, code })
  })

  test('in compat, an unsigned proposal waits a third of the auction, at most 20 seconds', () => {
    const at = (now: number, auctionDuration: number) =>
      given({ ...COMPAT, auctionDuration }).whenAnchored({ proposal: naming(ALICE), now })
    at(1_009, 30).decides({ code: 'TOO_EARLY' })
    at(1_010, 30).decides({ ok: true })
    at(1_019, 3_600).decides({ code: 'TOO_EARLY' })
    at(1_020, 3_600).decides({ ok: true })
    const proposal = signed(naming(ALICE, { n: 1 }))
    given(COMPAT).whenAnchored({ proposal }).decides({ ok: true })
  })

  test('in compat, after a sender’s blob under another key, a proposal needs the sender’s signature', () => {
    const created = given({ ...COMPAT, blobs: [creation(null, OTHER_KEY)] })
    created
      .whenAnchored({ proposal: naming(THIEF), now: 2_000 })
      .decides({ code: 'SIGNATURE_REQUIRED' })
    const proposal = signed(naming(ALICE, { n: 1 }))
    created.whenAnchored({ proposal, now: 2_000 }).decides({ ok: true })
  })
})

const FOR_ALICE: Partial<BundleState> = {
  intent: ANCHORED,
  feeBps: 250,
  blobs: [creation(naming(ALICE)), emptyAnchor],
}

describe('an append', () => {
  test('given a higher number with the sender’s signature, it replaces the recipients', () => {
    const proposal = signed(naming(BOB, { n: 1 }))
    given(FOR_ALICE)
      .whenAppended({ proposal })
      .decides({ ok: true, keyId: KEY, contents: proposal })
  })

  test('given a shielded intent, it says which of the new ones are registered', () => {
    const proposal = signed(naming(BOB, { n: 1 }))
    given({ ...FOR_ALICE, feeBps: 700 })
      .whenAppended({ proposal, tickets: registers(BOB) })
      .decides({ ok: true, registered: [{ position: 0, isContract: false }] })
  })

  test('given recipients that the sender named by a call, it says which are registered', () => {
    const named = naming(BOB, { n: 1 })
    const blobs = [creation(naming(ALICE)), emptyAnchor, call(named)]
    const tickets = registers(BOB)
    given({ ...FOR_ALICE, blobs, feeBps: 700 })
      .whenAppended({ tickets })
      .decides({ ok: true, contents: { recipients: [BOB], n: 1 } })
    given({ ...FOR_ALICE, blobs: [...blobs, anchor({ ...named, registered: [] })], feeBps: 700 })
      .whenAppended({ tickets })
      .decides({ code: 'NOTHING_TO_APPEND' })
    given({ ...FOR_ALICE, blobs })
      .whenAppended({ tickets })
      .decides({ code: 'FEE_TIER_FIXED' })
  })

  test('given a bundle without the sender’s word or none, the sender’s replaces it, whatever the number', () => {
    const proposal = signed(naming(BOB, { n: 1 }))
    const compat = { ...ANCHORED, mode: 'compat' as const }
    const unsignedBlob = anchor(naming(THIEF, { n: 5 }))
    given({ ...FOR_ALICE, blobs: [unsignedBlob] })
      .whenAppended({ proposal })
      .decides({ ok: true, contents: proposal })
    given({ ...FOR_ALICE, intent: compat, blobs: [unsignedBlob] })
      .whenAppended({ proposal })
      .decides({ ok: true, contents: proposal })
    given({ ...FOR_ALICE, blobs: [creation(naming(ALICE, { n: 9 })), emptyAnchor] })
      .whenAppended({ proposal })
      .decides({ ok: true, contents: proposal })
  })

  test('given as many recipients as the class allows, they are accepted', () => {
    given(FOR_ALICE)
      .whenAppended({ proposal: signed(naming(Array<Hex>(8).fill(BOB), { n: 1 })) })
      .decides({ ok: true })
  })

  test('given metadata for the bundle that counts, it carries that and no recipients', () => {
    const more = { metadata: { memo: 'rent' }, viewers: [BOB] }
    given(FOR_ALICE)
      .whenAppended({ proposal: naming(ALICE, more) })
      .decides({ contents: { recipients: [], amounts: [], ...more } })
  })

  test('given the recipients that count with another salt, unsigned, it refuses as for any others', () => {
    const about = given({
      ...FOR_ALICE,
      blobs: [creation(naming(ALICE, { salt: SALT })), emptyAnchor],
    })
    const more = { metadata: { memo: 'rent' } }
    for (const one of [ALICE, BOB]) {
      const refusal = { ok: false, code: 'SIGNATURE_REQUIRED' }
      about.whenAppended({ proposal: naming(one) }).decides(refusal)
      about.whenAppended({ proposal: naming(one, more) }).decides(refusal)
    }
    about.whenAppended({ proposal: naming(ALICE, { ...more, salt: SALT }) }).decides({
      contents: { recipients: [], ...more },
    })
    about
      .whenAppended({ proposal: signed(naming(ALICE, { ...more, n: 3 })) })
      .decides({ contents: { recipients: [], salt: SALT, ...more } })
  })

  test('given final recipients, it carries metadata and refuses other recipients', () => {
    const firm = given({ ...FOR_ALICE, isFirm: true })
    firm
      .whenAppended({ proposal: signed(naming(BOB, { n: 1 })) })
      .decides({ ok: false, code: 'WRONG_PHASE' })
    firm.whenAppended({ proposal: naming(ALICE, { metadata: { a: 'b' } }) }).decides({ ok: true })
    firm.whenAppended().decides({ ok: false, code: 'NOTHING_TO_APPEND' })
  })

  const nine = signed(naming(Array<Hex>(9).fill(BOB), { n: 1 }))

  test.each<[string, Partial<AppendCommand>]>([
    ['NOTHING_TO_APPEND', {}],
    ['NOTHING_TO_APPEND', { proposal: naming(ALICE) }],
    ['SIGNATURE_REQUIRED', { proposal: naming(BOB, { n: 1 }) }],
    ['SIGNATURE_INVALID', { proposal: signed(naming(BOB, { n: 1 }), THIEF_KEY) }],
    ['N_TOO_LOW', { proposal: signed(naming(BOB, { n: 0 })) }],
    ['CLASS_EXCEEDED', { proposal: nine }],
    ['FEE_TIER_FIXED', { proposal: signed(naming(BOB, { n: 1 })), tickets: registers(BOB) }],
    ['RECIPIENTS_INVALID', { proposal: signed(naming(INTENT.tokenB, { n: 1 })) }],
    ['RECIPIENTS_UNKNOWN', { proposal: signed(naming(BOB, { n: 1, bridge: THIEF })) }],
  ])('is refused: %s', (code, command) => {
    given(FOR_ALICE).whenAppended(command).decides({ ok: false, code })
  })

  test('is refused once an intent has as many blobs as an enclave takes, except to mark registered wallets', () => {
    const others = Array<ReadBlob>(MAX_BLOBS - 2).fill(append(null))
    const full = [creation(naming(ALICE)), emptyAnchor, ...others]
    const proposal = signed(naming(BOB, { n: 1 }))
    const refusal = { ok: false, code: 'TOO_MANY_BLOBS' }
    given({ ...FOR_ALICE, blobs: full })
      .whenAppended({ proposal })
      .decides(refusal)
    const memo = naming(ALICE, { metadata: { a: 'b' } })
    given({ ...FOR_ALICE, blobs: full })
      .whenAppended({ proposal: memo })
      .decides(refusal)
    given({ ...FOR_ALICE, blobs: full.slice(0, -1) })
      .whenAppended({ proposal })
      .decides({ ok: true })
    const named = [...full, call(naming(BOB, { n: 1 }))]
    given({ ...FOR_ALICE, blobs: named, feeBps: 700 })
      .whenAppended({ tickets: registers(BOB) })
      .decides({ ok: true, registered: [{ position: 0, isContract: false }] })
  })

  test('is refused where nobody counts', () => {
    given({ ...FOR_ALICE, blobs: [anchor(naming(THIEF))] })
      .whenAppended()
      .decides({ ok: false, code: 'RECIPIENTS_UNKNOWN' })
    // Without a key under which it would count, nothing is signed.
    given({ ...FOR_ALICE, blobs: [emptyAnchor] })
      .whenAppended({ proposal: signed(naming(BOB, { n: 1 })) })
      .decides({ ok: false, code: 'RECIPIENTS_UNKNOWN' })
  })
})

const sent = (contents: BlobPlaintext) => ({ contents, isSigned: true, isDisputed: false })
const unsigned = (who: Hex) => ({ ...sent(naming(who, { n: 1 })), isSigned: false })
const onChain = (who: Hex, n = 0) => [call(naming(who, { n }))]
const refused = (code: string) => ({ is: 'refused', code })

describe('storing recipients with the sender’s signature', () => {
  const [alice, bob] = [naming(ALICE, { n: 1 }), naming(BOB, { n: 1 })]

  test('given others or none, they are stored only with a higher number', () => {
    given().whenStored(alice).decides({ is: 'store', replaces: false })
    given({ stored: sent(alice) })
      .whenStored(naming(BOB, { n: 2 }))
      .decides({ is: 'store', replaces: true })
    given({ stored: sent(alice) })
      .whenStored(bob)
      .decides(refused('ALREADY_STORED'))
    given({ blobs: onChain(ALICE) })
      .whenStored(bob)
      .decides({ is: 'store', replaces: true })
    given({ blobs: onChain(ALICE, 3) })
      .whenStored(naming(BOB, { n: 3 }))
      .decides(refused('ALREADY_STORED'))
    given({ stored: sent(alice) })
      .whenStored(alice)
      .decides({ is: 'already', where: 'stored' })
  })

  test('given a creation that says a high number, they are stored as with 0', () => {
    const blobs = [creation(naming(ALICE, { n: 9 }))]
    given({ blobs }).whenStored(bob).decides({ is: 'store', replaces: true })
    given({ blobs, stored: sent(bob) })
      .whenStored(alice)
      .decides(refused('ALREADY_STORED'))
  })

  test('given the same on chain without the sender’s word, they are stored', () => {
    const anchored = { intent: { ...ANCHORED, mode: 'compat' as const }, feeBps: 250 }
    given({ ...anchored, blobs: [anchor(alice)] })
      .whenStored(alice)
      .decides({ is: 'store', replaces: true })
  })

  test('given as many blobs as an enclave takes, they are refused', () => {
    const blobs = Array<ReadBlob>(MAX_BLOBS).fill(call(naming(ALICE)))
    given({ blobs }).whenStored(bob).decides(refused('INTENT_CLOSED'))
    given({ blobs: blobs.slice(1) })
      .whenStored(bob)
      .decides({ is: 'store' })
  })

  test('given unsigned ones, they replace them, whatever the number', () => {
    given({ stored: unsigned(ALICE) })
      .whenStored(bob)
      .decides({ is: 'store' })
    given({ stored: unsigned(ALICE) })
      .whenStored(alice)
      .decides({ is: 'store' })
  })

  test('given the same on chain, they are there already, until others are sent', () => {
    const blobs = onChain(ALICE, 1)
    given({ blobs }).whenStored(alice).decides({ is: 'already', where: 'chain' })
    given({ blobs: onChain(ALICE, 0) })
      .whenStored(naming(ALICE))
      .decides({ is: 'already', where: 'chain' })
    const later = sent(naming(BOB, { n: 2 }))
    given({ blobs, stored: later }).whenStored(alice).decides(refused('ALREADY_STORED'))
    given({ blobs: onChain(BOB, 2), stored: later })
      .whenStored(naming(BOB, { n: 2 }))
      .decides({ is: 'already', where: 'chain' })
  })

  const memo = { metadata: { memo: 'rent' } }
  const salted = { ...alice, salt: SALT }

  test.each<[string, ReadBlob[]]>([
    ['in its own blob', [call({ ...salted, ...memo })]],
    ['in the anchor', [call(salted), anchor({ ...salted, ...memo })]],
    ['alone', [call(salted), anchor(salted), append({ ...salted, ...memo, ...NO_RECIPIENTS })]],
  ])('given the same on chain and metadata %s, they are there already, but with other metadata not', (_, blobs) => {
    const onlyMemo = given({ blobs })
    onlyMemo.whenStored(alice).decides({ is: 'already', where: 'chain' })
    onlyMemo.whenStored({ ...alice, ...memo }).decides({ is: 'already', where: 'chain' })
    for (const other of [{ metadata: { memo: 'wage' } }, { viewers: [BOB] }]) {
      onlyMemo.whenStored({ ...alice, ...other }).decides(refused('ALREADY_STORED'))
    }
  })

  test('given viewers on chain alone, they count by the bundle’s salt and number, never by a salt that anyone knows', () => {
    const viewers = { viewers: [BOB] }
    const bare = { ...salted, ...viewers, ...NO_RECIPIENTS }
    const already = { is: 'already', where: 'chain' }
    const then = (...blobs: ReadBlob[]) => given({ blobs }).whenStored({ ...alice, ...viewers })
    then(call(salted), append(bare)).decides(already)
    for (const other of [{ n: 0 }, { salt: zeroHash }, { recipients: [THIEF], amounts: [10n] }]) {
      then(call(salted), append({ ...bare, ...other })).decides(refused('ALREADY_STORED'))
    }
    then(call(alice), append({ ...bare, salt: zeroHash })).decides(refused('ALREADY_STORED'))
  })

  test('given a dispute, they end it', () => {
    const stored = { ...unsigned(ALICE), isDisputed: true }
    given({ stored }).whenStored(alice).decides({ is: 'store' })
    given({ stored }).whenStored(bob).decides({ is: 'store' })
  })

  test('given final recipients, they come too late', () => {
    const firm = { isFirm: true }
    given(firm).whenStored(alice).decides(refused('INTENT_CLOSED'))
    // Also when they were sent in time: only what came on chain in time counts.
    const late = { ...firm, stored: sent(alice) }
    given(late)
      .whenStored(naming(BOB, { n: 2 }))
      .decides(refused('ALREADY_STORED'))
    given(late).whenStored(alice).decides(refused('INTENT_CLOSED'))
    given({ ...firm, blobs: onChain(BOB) })
      .whenStored(alice)
      .decides(refused('ALREADY_STORED'))
    given({ ...late, blobs: onChain(BOB) })
      .whenStored(alice)
      .decides(refused('ALREADY_STORED'))
    given({ ...late, blobs: onChain(ALICE, 1) })
      .whenStored(alice)
      .decides({ is: 'already', where: 'chain' })
  })
})

describe('storing recipients without a signature', () => {
  const [alice, bob] = [naming(ALICE, { n: 1 }), naming(BOB, { n: 1 })]
  const nobodys = { isSigned: false }

  test('in strict they are refused, in compat the first are stored', () => {
    given().whenStored(alice, nobodys).decides(refused('SIGNATURE_REQUIRED'))
    given(COMPAT).whenStored(alice, nobodys).decides({ is: 'store', replaces: false })
    given({ ...COMPAT, isFirm: true })
      .whenStored(alice, nobodys)
      .decides(refused('INTENT_CLOSED'))
    given({ ...COMPAT, stored: unsigned(ALICE) })
      .whenStored(alice, nobodys)
      .decides({ is: 'already', where: 'stored' })
  })

  test('given the same by the sender’s call or signature, they are there already', () => {
    given({ blobs: onChain(ALICE) })
      .whenStored(alice, nobodys)
      .decides({ is: 'already', where: 'chain' })
    given({ stored: sent(alice) })
      .whenStored(alice, nobodys)
      .decides({ is: 'already', where: 'stored' })
    for (const mode of [{}, COMPAT]) {
      given({ ...mode, blobs: onChain(ALICE) })
        .whenStored(bob, nobodys)
        .decides(refused('ALREADY_STORED'))
      given({ ...mode, stored: sent(alice) })
        .whenStored(bob, nobodys)
        .decides(refused('ALREADY_STORED'))
    }
  })

  test('given unsigned ones on chain, the same are there already', () => {
    given({ intent: { ...ANCHORED, mode: 'compat' }, feeBps: 250, blobs: [anchor(alice)] })
      .whenStored(alice, nobodys)
      .decides({ is: 'already', where: 'chain' })
    // The sender’s own will replace them.
    given({
      intent: { ...ANCHORED, mode: 'compat' },
      feeBps: 250,
      blobs: [anchor(alice)],
      stored: sent(naming(BOB)),
    })
      .whenStored(alice, nobodys)
      .decides(refused('ALREADY_STORED'))
  })

  test('given different ones, neither counts, as long as nothing is anchored and they could wait', () => {
    const stored = unsigned(ALICE)
    given({ ...COMPAT, stored })
      .whenStored(bob, nobodys)
      .decides({ is: 'dispute' })
    // Of before the chain became strict: nothing counts until the sender signs.
    given({ stored }).whenStored(bob, nobodys).decides(refused('ALREADY_STORED'))
    given({ ...COMPAT, stored, feeBps: 250 })
      .whenStored(bob, nobodys)
      .decides(refused('ALREADY_STORED'))
    given({ ...COMPAT, stored })
      .whenStored(bob, { ...nobodys, now: 1_020 })
      .decides(refused('ALREADY_STORED'))
  })

  test('given a dispute, none of them are stored', () => {
    const stored = { ...unsigned(ALICE), isDisputed: true }
    for (const bundle of [alice, bob]) {
      given({ ...COMPAT, stored })
        .whenStored(bundle, nobodys)
        .decides(refused('RECIPIENTS_DISPUTED'))
    }
  })
})
