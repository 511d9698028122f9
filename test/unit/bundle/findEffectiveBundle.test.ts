import { describe, expect, test } from 'vitest'
import {
  type BundleIntent,
  findEffectiveBundle,
  type ReadBlob,
} from '../../../core/recipientBundle/findEffectiveBundle.ts'
import type { BlobPlaintext } from '../../../core/recoveryBlob/plaintextFormat.ts'
import {
  decideRevealedPayments,
  hasNoRecipients,
} from '../../../core/settlement/decideRevealedPayments.ts'
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

const UNKNOWN = { ok: false, code: 'RECIPIENTS_UNKNOWN' }
const COMPAT: BundleIntent = { ...ANCHORED, mode: 'compat' }

/** Whom the blobs name, by whose word; null: nobody. */
function counting(blobs: readonly ReadBlob[], intent: BundleIntent = ANCHORED) {
  const { bundle } = findEffectiveBundle(intent, blobs)
  return bundle && { named: bundle.contents.recipients, word: bundle.authority }
}

/** Contents with another signature. */
const changed = (contents: BlobPlaintext, by: (signature: Hex) => string): BlobPlaintext => ({
  ...contents,
  signature: by(contents.signature!) as Hex,
})

const aliceBy = (word: string) => ({ named: [ALICE], word })
const bobBy = (word: string) => ({ named: [BOB], word })

describe('recipients count if the sender named them', () => {
  test('given a creation’s blob, it counts', () => {
    expect(counting([creation(naming(ALICE)), emptyAnchor])).toEqual(aliceBy('creation'))
    expect(counting([creation(naming(ALICE))], INTENT)).toEqual(aliceBy('creation'))
  })

  test('given a blob from the sender’s own call, the higher number counts', () => {
    const blobs = [creation(naming(ALICE)), emptyAnchor, call(naming(BOB, { n: 1 }))]
    expect(counting(blobs)).toEqual(bobBy('call'))
  })

  test('given equal numbers, the first counts', () => {
    const blobs = [creation(naming(ALICE)), emptyAnchor, call(naming(BOB, { n: 0 }))]
    expect(counting(blobs)).toEqual(aliceBy('creation'))
    const one = append(signed(naming(ALICE, { n: 3 })))
    const other = append(signed(naming(BOB, { n: 3 })))
    expect(counting([anchor(naming(ALICE)), one, other])).toEqual(aliceBy('signature'))
  })

  test('given signed blobs in any order, the highest number counts', () => {
    const high = append(signed(naming(ALICE, { n: 5 })))
    const low = append(signed(naming(BOB, { n: 4 })))
    const first = anchor(signed(naming(BOB, { n: 1 })))
    expect(counting([first, high, low])).toEqual(aliceBy('signature'))
    expect(counting([first, low, high])).toEqual(aliceBy('signature'))
  })

  test('given a creation that claims a high number, its number is 0', () => {
    const blobs = [creation(naming(ALICE, { n: 99 })), anchor(signed(naming(BOB, { n: 1 })))]
    expect(counting(blobs)).toEqual(bobBy('signature'))
  })

  test('given recipients that another account named, nobody counts', () => {
    const strangers = [
      append(naming(THIEF, { n: 9 })),
      append(signed(naming(THIEF, { n: 9 }), THIEF_KEY)),
      append({ ...signed(naming(ALICE, { n: 9 })), recipients: [THIEF] }),
      append({ ...signed(naming(ALICE, { n: 8 })), n: 9 }),
      append({ ...signed(naming(ALICE, { n: 9 })), amounts: [11n] }),
      append({ ...naming(THIEF, { n: 9 }), signature: `0x${'00'.repeat(65)}` }),
      append(changed(signed(naming(BOB, { n: 9 })), (signature) => `${signature}00`)),
      append(changed(signed(naming(BOB, { n: 9 })), (signature) => `${signature.slice(0, -2)}1d`)),
    ]
    for (const stranger of strangers) {
      expect(counting([anchor(naming(THIEF)), stranger])).toBeNull()
      expect(counting([creation(naming(ALICE)), emptyAnchor, stranger])).toEqual(
        aliceBy('creation'),
      )
    }
  })

  test('given blobs of other intents, they count for nothing', () => {
    const others = [
      { sourceChainId: 1 },
      { bridge: ANCHORED.tokenB },
      { user: THIEF },
      { paramsHash: `0x${'23'.repeat(32)}` as const },
      { intentId: ANCHORED.intentId + 1n },
    ]
    for (const other of others) {
      expect(counting([creation(naming(ALICE, other)), emptyAnchor])).toBeNull()
    }
    const own = { intentId: ANCHORED.intentId }
    expect(counting([creation(naming(ALICE, own)), emptyAnchor])).toEqual(aliceBy('creation'))
  })

  test('given a blob that can’t be opened or has no recipients, the others count', () => {
    const blobs = [creation(null), emptyAnchor, append(naming([])), call(naming(BOB))]
    expect(counting(blobs)).toEqual(bobBy('call'))
  })
})

describe('a bundle that couldn’t be delivered counts for nothing', () => {
  test.each([
    ['nobody', naming([])],
    ['the zero address', naming(`0x${'0'.repeat(40)}`)],
    ['the token', naming(ANCHORED.tokenB)],
    ['the destination bridge', naming(ANCHORED.destinationBridge)],
    ['an amount of zero', naming(ALICE, { amounts: [0n] })],
    ['one zero amount among others', naming([ALICE, BOB], { amounts: [5n, 0n] })],
    ['more than the intent asks for', naming([ALICE, BOB], { amounts: [999n, 2n] })],
    ['an amount too few', naming([ALICE, BOB], { amounts: [5n] })],
    ['201 recipients', naming(Array(201).fill(ALICE), { amounts: Array(201).fill(1n) })],
  ])('%s', (_, contents) => {
    expect(counting([creation(contents), emptyAnchor])).toBeNull()
    const later = [creation(naming(ALICE)), emptyAnchor, call({ ...contents, n: 1 })]
    expect(counting(later)).toEqual(aliceBy('creation'))
  })

  test('the exact amount that it asks for, and 200 recipients, are fine', () => {
    const many = naming(Array(200).fill(ALICE), { amounts: Array(200).fill(5n) })
    expect(
      counting([creation(many), emptyAnchor], { ...ANCHORED, recipientClass: 256 }),
    ).not.toBeNull()
  })
})

describe('the class', () => {
  const three = naming([ALICE, ALICE, BOB], { n: 1 })
  const pair: BundleIntent = { ...ANCHORED, recipientClass: 2 }

  test('given a bundle after the anchor with too many recipients, it counts for nothing', () => {
    expect(counting([creation(naming(ALICE)), emptyAnchor, call(three)], pair)).toEqual(
      aliceBy('creation'),
    )
    const by = append(signed(three))
    expect(counting([anchor(signed(naming(ALICE))), by], pair)).toEqual(aliceBy('signature'))
    expect(counting([creation(naming(ALICE)), emptyAnchor, by], pair)).toEqual(aliceBy('creation'))
    expect(counting([creation(naming(ALICE)), anchor(signed(three))], pair)).toEqual(
      aliceBy('creation'),
    )
  })

  test('given one of before the anchor, it counts whatever class was anchored', () => {
    expect(counting([creation(naming(ALICE)), call(three), emptyAnchor], pair)?.word).toBe('call')
  })
})

describe('the key of an intent', () => {
  test('given an anchor’s blob, it is that blob’s, and blobs under another don’t count', () => {
    const blobs = [creation(naming(ALICE), OTHER_KEY), anchor(signed(naming(BOB, { n: 1 })), KEY)]
    expect(findEffectiveBundle(ANCHORED, blobs).keyId).toBe(KEY)
    expect(counting([...blobs, append(signed(naming(ALICE, { n: 2 })), OTHER_KEY)])).toEqual(
      bobBy('signature'),
    )
  })

  test('given an empty anchor, it is the creation’s', () => {
    const { keyId } = findEffectiveBundle(ANCHORED, [
      creation(naming(ALICE), OTHER_KEY),
      emptyAnchor,
    ])
    expect(keyId).toBe(OTHER_KEY)
  })

  test('given no anchor, there is none yet, and every key’s blobs count', () => {
    const blobs = [creation(naming(ALICE), OTHER_KEY), call(naming(BOB, { n: 1 }), KEY)]
    expect(findEffectiveBundle(INTENT, blobs).keyId).toBeNull()
    expect(counting(blobs, INTENT)).toEqual(bobBy('call'))
  })
})

describe('in compat, if the sender has named nobody', () => {
  test('the first that anyone named count', () => {
    const blobs = [anchor(naming(ALICE)), append(naming(THIEF, { n: 9 }))]
    expect(counting(blobs, COMPAT)).toEqual(aliceBy('none'))
  })

  test('the sender’s recipients come first, whenever they are named', () => {
    const blobs = [anchor(naming(THIEF)), append(signed(naming(ALICE, { n: 1 })))]
    expect(counting(blobs, COMPAT)).toEqual(aliceBy('signature'))
    expect(counting([creation(naming(ALICE)), anchor(naming(THIEF))], COMPAT)).toEqual(
      aliceBy('creation'),
    )
  })

  test('an anchor sealed to another key can’t silence the sender', () => {
    const blobs = [creation(naming(ALICE), KEY), anchor(naming(THIEF), OTHER_KEY)]
    expect(counting(blobs, COMPAT)).toBeNull()
    const called = [anchor(naming(THIEF), OTHER_KEY), call(naming(ALICE), KEY)]
    expect(counting(called, COMPAT)).toBeNull()
  })

  test('an unreadable blob of the sender’s under the intent’s key or none, and others’ under another, don’t silence them', () => {
    for (const unreadable of [creation(null), creation(null, null)]) {
      expect(counting([unreadable, anchor(naming(ALICE))], COMPAT)).toEqual(aliceBy('none'))
    }
    const other = append(naming(THIEF), OTHER_KEY)
    expect(counting([anchor(naming(ALICE)), other], COMPAT)).toEqual(aliceBy('none'))
  })
})

describe('registered wallets', () => {
  const registered = [{ position: 0, isContract: false }]
  const of = (blobs: readonly ReadBlob[]) => findEffectiveBundle(ANCHORED, blobs).bundle?.registered

  test('are those of the first blob that enclaves signed for and that says the same', () => {
    const own = naming(ALICE)
    expect(of([creation(own), anchor({ ...own, registered })])).toEqual(registered)
    const later = append({ ...own, registered: [] })
    expect(of([creation(own), anchor({ ...own, registered }), later])).toEqual(registered)
    const named = naming(BOB, { n: 1 })
    const blobs = [creation(own), emptyAnchor, call(named), append({ ...named, registered })]
    expect(of(blobs)).toEqual(registered)
  })

  test('named in the sender’s own blob count for nothing', () => {
    const own = naming(ALICE, { registered })
    expect(of([creation(own), emptyAnchor])).toBeNull()
    expect(of([creation(own), anchor({ ...own, registered: [] })])).toEqual([])
  })

  test('named in a blob with other recipients count for nothing', () => {
    const own = naming(ALICE)
    const other = [{ ...own, amounts: [11n] }, naming(THIEF), { ...own, n: 1 }]
    for (const contents of other) {
      expect(of([creation(own), anchor({ ...contents, registered })])).toBeNull()
    }
  })

  test('named in a blob under another key count for nothing', () => {
    const own = naming(ALICE)
    const other = append({ ...own, registered }, OTHER_KEY)
    expect(of([creation(own), emptyAnchor, other])).toBeNull()
  })
})

describe('what a winner is told', () => {
  const registered = [{ position: 0, isContract: false }]
  const named = naming(ALICE)
  const unread = [creation(null, OTHER_KEY), anchor(null, OTHER_KEY)]

  test.each<[string, ReadBlob[], BundleIntent, unknown, boolean]>([
    [
      'the recipients, and which are registered',
      [creation(named), anchor({ ...named, registered })],
      ANCHORED,
      { ok: true, keyId: KEY, contents: { recipients: [ALICE] }, registered },
      false,
    ],
    ['nothing before the anchor', [creation(named)], INTENT, UNKNOWN, true],
    ['nothing where nobody is named', [creation(null), emptyAnchor], ANCHORED, UNKNOWN, true],
    ['nothing in strict of unsigned ones', [anchor(named)], ANCHORED, UNKNOWN, false],
    ['unsigned ones in compat', [anchor(named)], COMPAT, { ok: true, registered: [] }, false],
    // Other blobs might seem to count.
    [
      'nothing without the intent’s key',
      unread,
      ANCHORED,
      { ok: false, code: 'KEY_MISSING' },
      false,
    ],
  ])('%s', (_, blobs, intent, expected, isNobody) => {
    const hasKey = (keyId: Hex) => keyId === KEY
    expect(decideRevealedPayments(intent, blobs, hasKey)).toMatchObject(expected as object)
    expect(hasNoRecipients(intent, blobs, hasKey)).toBe(isNobody)
  })
})
