import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findUnsignedAnchorTime } from '../../../core/recipientBundle/decide/bundleDecisionState.ts'
import { findDeliveryConfirmations } from '../../../core/settlement/requiredConfirmations.ts'
import {
  type DesiredEffect,
  findDesiredEffects,
  type ReactionSettings,
  retryAfterMs,
} from '../../../services/relayer/reconciler/findDesiredEffects.ts'
import {
  type EffectTransaction,
  effectName,
  type IntentState,
  type Proposal,
  type Reaction,
  subjectOf,
  transactionName,
} from '../../../services/relayer/reconciler/reconcilerEffect.ts'
import type { BridgeEvent } from '../../../src/event/bridgeEvent.ts'
import { foldKnown } from '../intent/intentSpecification.ts'
import * as scene from '../intent/sampleIntent.ts'

const { created, anchored, bid, deposited, delivered, settled, cancelled, refunded } = scene
const { clocksAt, DEPOSIT_TIME, END_TIME, INTENT, PICKUP_DEADLINE, REFUNDABLE_FROM, T } = scene

const NOW = 1_700_000_000_000
const SETTINGS: ReactionSettings = {
  refundAfter: 60,
  deliveryConfirmations: 5,
  depositConfirmations: 2,
}
const DELIVERED = [created(), anchored(), bid(), deposited(), delivered()]
const DELIVERED_AT = DEPOSIT_TIME + 30
const DEEP = clocksAt(DELIVERED_AT + 5, DELIVERED_AT + 5)

function state(events: BridgeEvent[], more: Partial<IntentState> = {}): IntentState {
  return {
    facts: foldKnown(...events),
    clocks: clocksAt(T + 10, T + 10),
    terms: scene.TERMS,
    proposal: null,
    isCarried: false,
    isNamed: false,
    depositBlock: events.find(({ type }) => type === 'SolverDeposited')?.point.blockNumber ?? null,
    blobBlock: null,
    transactions: new Map(),
    reactions: new Map(),
    ...more,
  }
}

/** What the settlement of `DELIVERED` is known by. */
function settlementName(): string {
  const one = findDesiredEffects(
    state(DELIVERED, { clocks: DEEP }),
    SETTINGS,
    NOW,
  )[0] as DesiredEffect
  return effectName(INTENT, one.effect)
}

function transaction(
  kind: string,
  changes: Partial<EffectTransaction>,
  effect = kind === 'settle' ? settlementName() : String(INTENT),
) {
  const usual = { id: 1, state: 'sent', round: 0, problem: null, blockNumber: null, changedAt: NOW }
  return new Map([[transactionName(kind, effect), { ...usual, ...changes } as EffectTransaction]])
}

const SIGNED: Proposal = { digest: '0xaa', sealed: '0x01', isSigned: true }
const UNSIGNED: Proposal = { ...SIGNED, isSigned: false }

function reaction(changes: Partial<Reaction> & Pick<Reaction, 'kind'>) {
  const usual = {
    ...{ state: 'waiting', reason: null, subject: null, attempts: 1 },
    ...{ triedAt: NOW, nextTryAt: null },
  }
  return new Map([[changes.kind, { ...usual, ...changes } as Reaction]])
}

/** Kinds that are desired, with what they wait for. */
function desiredIn(one: IntentState, now = NOW): [string, string | null][] {
  return findDesiredEffects(one, SETTINGS, now).map(({ effect, waitsFor }) => [
    effect.kind,
    waitsFor,
  ])
}

describe('recipients', () => {
  test('that the creation brought or the sender signed: anchor, until they stand', () => {
    const proposal = SIGNED
    expect(desiredIn(state([created()]))).toEqual([])
    expect(desiredIn(state([created({ encryptedBlob: '0x01' })]))).toEqual([['anchor', null]])
    expect(desiredIn(state([created()], { proposal }))).toEqual([['anchor', null]])
    const { firmAt } = foldKnown(created()).source
    const atFirm = { proposal, clocks: clocksAt(firmAt, firmAt) }
    expect(desiredIn(state([created()], atFirm))).toEqual([])
    expect(desiredIn(state([created(), cancelled()], { proposal }))).toEqual([])
  })

  test('that nobody has signed for wait a third of the auction, 20 s at most, for others to come', () => {
    const { createdAt, endTime } = foldKnown(created()).source
    const from = findUnsignedAnchorTime({ createdAt, auctionDuration: endTime - createdAt })
    expect(from - T).toBeLessThanOrEqual(20)
    const at = (time: number, creation = created()) =>
      desiredIn(state([creation], { proposal: UNSIGNED, clocks: clocksAt(time, time) }))
    expect(at(from - 1)).toEqual([['anchor', 'TOO_EARLY']])
    const short = created({ endTime: BigInt(T + 48) })
    expect(at(T + 15, short)).toEqual([['anchor', 'TOO_EARLY']])
    expect(at(T + 16, short)).toEqual([['anchor', null]])
    expect(at(from)).toEqual([['anchor', null]])
    expect(at(from - 1, created({ encryptedBlob: '0x01' }))).toEqual([['anchor', null]])
    expect(findUnsignedAnchorTime({ createdAt: 100, auctionDuration: 4 })).toBe(102)
  })

  test('are anchored by a transaction of their own for each creation that has the id', () => {
    const nameOf = (events: BridgeEvent[]) => {
      const [{ effect }] = findDesiredEffects(
        state(events, { proposal: SIGNED }),
        SETTINGS,
        NOW,
      ) as [DesiredEffect]
      return effectName(INTENT, effect)
    }
    const other = { amountA: 77_777n }
    const [one, another] = [nameOf([created()]), nameOf([created(other)])]
    expect(one).not.toBe(another)
    expect(one.startsWith(`${INTENT}:`)).toBe(true)
    // What is under way for the one keeps nobody from anchoring the other.
    const transactions = transaction('anchor', { state: 'sent' }, one)
    const same = state([created()], { proposal: SIGNED, transactions })
    expect(desiredIn(same)).toEqual([['anchor', 'TRANSACTION']])
    const reorged = state([created(other)], { proposal: SIGNED, transactions })
    expect(desiredIn(reorged)).toEqual([['anchor', null]])
  })

  test('that an enclave refused are tried again when others come', () => {
    const one = state([created()], { proposal: SIGNED })
    const [{ effect }] = findDesiredEffects(one, SETTINGS, NOW) as [DesiredEffect]
    const refused = { state: 'refused', reason: 'RECIPIENTS_INVALID' } as const
    const reactions = reaction({ kind: 'anchor', ...refused, subject: subjectOf(effect) })
    expect(desiredIn({ ...one, reactions })).toEqual([['anchor', 'RECIPIENTS_INVALID']])
    const proposal = { ...SIGNED, digest: '0xbb' } as const
    expect(desiredIn({ ...one, reactions, proposal })).toEqual([['anchor', null]])
  })

  test('that came after the anchor: append them, unless they are on chain or nothing is left to say', () => {
    const events = [created(), anchored()]
    const one = state(events, { proposal: SIGNED })
    expect(desiredIn(one)).toEqual([['append', null]])
    expect(desiredIn({ ...one, isCarried: true })).toEqual([])
    const [{ effect }] = findDesiredEffects(one, SETTINGS, NOW) as [DesiredEffect]
    const done = reaction({ kind: 'append', state: 'done', subject: subjectOf(effect) })
    expect(desiredIn({ ...one, reactions: done })).toEqual([])
    // Nor an hour later: only a payment is tried again, whatever rows say.
    expect(desiredIn({ ...one, reactions: done }, NOW + 2 * 3_600_000)).toEqual([])
    const other = { ...one, proposal: { ...SIGNED, digest: '0xbb' } } as const
    expect(desiredIn({ ...other, reactions: done })).toEqual([['append', null]])
    expect(desiredIn(state([...events, bid()], { proposal: SIGNED }))).toEqual([['append', null]])
    const { firmAt } = one.facts.source
    expect(desiredIn({ ...one, clocks: clocksAt(firmAt - 1, firmAt) })).toEqual([['append', null]])
    expect(desiredIn({ ...one, clocks: clocksAt(firmAt, firmAt - 1) })).toEqual([])
    // Named by the sender's own call: an enclave says which of them are registered wallets.
    expect(desiredIn(state(events, { isNamed: true }))).toEqual([['append', null]])
    const ended = [...DELIVERED, settled()]
    expect(desiredIn(state(ended, { proposal: SIGNED }))).toEqual([])
  })
})

describe('a delivery', () => {
  test('is settled once it and the deposit are deep enough', () => {
    const at = (source: number, destination: number) =>
      desiredIn(state(DELIVERED, { clocks: clocksAt(source, destination) }))
    expect(at(DELIVERED_AT, DELIVERED_AT + 4)).toEqual([['settle', 'NOT_CONFIRMED']])
    expect(at(DEPOSIT_TIME + 1, DELIVERED_AT + 5)).toEqual([['settle', 'NOT_CONFIRMED']])
    expect(at(DEPOSIT_TIME + 2, DELIVERED_AT + 5)).toEqual([['settle', null]])
  })

  test('is settled with the winner’s others in block order, once the last is deep enough', () => {
    const second = delivered({ at: DELIVERED_AT + 7, chain2IntentId: 2n })
    for (const all of [[...DELIVERED, second], DELIVERED.toSpliced(-1, 0, second)]) {
      const at = (time: number) =>
        findDesiredEffects(state(all, { clocks: clocksAt(time, time) }), SETTINGS, NOW)
      expect(at(DELIVERED_AT + 11)).toMatchObject([{ waitsFor: 'NOT_CONFIRMED' }])
      const deliveries = [DELIVERED_AT, DELIVERED_AT + 7].map((solvedAt) => ({ solvedAt }))
      expect(at(DELIVERED_AT + 12)).toMatchObject([{ waitsFor: null, effect: { deliveries } }])
    }
  })

  test('needs more depth for a larger amount', () => {
    const one = state(DELIVERED, { clocks: DEEP })
    const confirmations = [{ from: '900000', blocks: 50 }]
    const chain = { confirmations: 5, tokens: { B: { address: scene.TOKEN_B, confirmations } } }
    const deliveryConfirmations = findDeliveryConfirmations(chain, one.facts.source)
    const settings = { ...SETTINGS, deliveryConfirmations }
    expect(findDesiredEffects(one, settings, NOW)[0]?.waitsFor).toBe('NOT_CONFIRMED')
  })

  test('by somebody else, too small, late or settled is not settled', () => {
    const won = [created(), anchored(), bid(), deposited()]
    for (const claim of [{ solver: scene.RIVAL }, { amountB: 1n }, { at: scene.FILL_DEADLINE }]) {
      const late = clocksAt(scene.FILL_DEADLINE + 9, scene.FILL_DEADLINE + 9)
      const one = state([...won, delivered(claim)], { clocks: late })
      expect(desiredIn(one)).toEqual([['undelivered', null]])
    }
    expect(desiredIn(state([...DELIVERED, settled()], { clocks: DEEP }))).toEqual([])
  })

  test('that was refused is judged anew when a reorg puts it elsewhere', () => {
    const one = state(DELIVERED, { clocks: DEEP })
    const [{ effect }] = findDesiredEffects(one, SETTINGS, NOW) as [
      ReturnType<typeof findDesiredEffects>[number],
    ]
    const refused = { kind: 'settle', state: 'refused', reason: 'NOT_DELIVERED' } as const
    const same = reaction({ ...refused, subject: subjectOf(effect) })
    expect(desiredIn({ ...one, reactions: same })).toEqual([['settle', 'NOT_DELIVERED']])
    const other = reaction({ ...refused, subject: 'another block' })
    expect(desiredIn({ ...one, reactions: other })).toEqual([['settle', null]])
  })

  test('is tried again after an hour, whatever rows say of it, and at once if they are of a time to come', () => {
    const one = state(DELIVERED, { clocks: DEEP })
    const [{ effect }] = findDesiredEffects(one, SETTINGS, NOW) as [
      ReturnType<typeof findDesiredEffects>[number],
    ]
    const subject = subjectOf(effect)
    const HOUR = 3_600_000
    for (const [at, isTried] of [
      [NOW - HOUR + 1, false],
      [NOW - HOUR - 1, true],
      [NOW + 61_000, true],
    ] as const) {
      const said = { kind: 'settle', triedAt: at, subject } as const
      const transactions = transaction('settle', { state: 'chosen', changedAt: at })
      for (const rows of [
        { reactions: reaction({ ...said, state: 'refused', reason: 'NOT_DELIVERED' }) },
        { reactions: reaction({ ...said, state: 'done' }) },
        { reactions: reaction({ ...said, nextTryAt: NOW + 100 * HOUR }) },
        { reactions: reaction(said), transactions },
      ]) {
        const wanted = desiredIn({ ...one, ...rows }).some(([, waitsFor]) => waitsFor === null)
        expect([at - NOW, rows, wanted]).toEqual([at - NOW, rows, isTried])
      }
    }
  })
})

describe('a winner', () => {
  test('of a deposit that may still be reorged is told nothing, and nothing is attested of it', () => {
    const asked = [created(), anchored(), bid(), deposited(), scene.asked()]
    const settings = { ...SETTINGS, depositConfirmations: 10 ** 6 }
    const at = (events: BridgeEvent[], time: number) =>
      findDesiredEffects(state(events, { clocks: clocksAt(time, time) }), settings, NOW)
    for (const [kind, events, time] of [
      ['reveal', asked, DEPOSIT_TIME + 9],
      ['settle', DELIVERED, DELIVERED_AT + 9],
      ['undelivered', asked, scene.FILL_DEADLINE],
    ] as const) {
      expect(at([...events], time)).toMatchObject([{ effect: { kind }, waitsFor: 'NOT_CONFIRMED' }])
    }
  })

  test('that asks on chain for the recipients gets them there, while there is time', () => {
    const won = [created(), anchored(), bid(), deposited()]
    const asked = [...won, scene.asked()]
    const at = (time: number, events = asked) =>
      desiredIn(state(events, { clocks: clocksAt(time, time) })).filter(
        ([kind]) => kind === 'reveal',
      )
    const { executionWindow } = scene.TERMS
    const last = scene.FILL_DEADLINE - Math.ceil(executionWindow / 4)
    expect(at(last - 1, won)).toEqual([])
    expect(at(last - 1)).toEqual([['reveal', null]])
    expect(at(last)).toEqual([])
    expect(at(last - 1, [...asked, scene.revealed()])).toEqual([])
    expect(at(last - 1, [...asked, refunded(1, last - 2)])).toEqual([])
    const clocks = clocksAt(last, last - 1)
    expect(desiredIn(state(asked, { clocks }))).toEqual([])
  })

  test('gets nothing that would take away its excuse when the destination’s clock leaves no time to deliver', () => {
    const asked = [created(), anchored(), bid(), deposited(), scene.asked()]
    const { executionWindow } = scene.TERMS
    const last = scene.FILL_DEADLINE - Math.ceil(executionWindow / 4)
    const at = (destination: number) =>
      desiredIn(
        state(asked, { clocks: clocksAt(DEPOSIT_TIME + executionWindow / 4, destination) }),
      ).filter(([kind]) => kind === 'reveal')
    expect(at(last - 1)).toEqual([['reveal', null]])
    expect(at(last)).toEqual([])
    expect(at(scene.FILL_DEADLINE)).toEqual([])
    // A destination that isn't indexed is never late.
    const clocks = clocksAt(DEPOSIT_TIME + executionWindow / 4)
    expect(desiredIn(state(asked, { clocks }))).toContainEqual(['reveal', null])
  })
})

describe('a refund', () => {
  const offered = [created(), anchored()]
  test.each([
    ['nobody bid', offered, END_TIME],
    ['nobody deposited', [...offered, bid()], PICKUP_DEADLINE],
    ['nobody delivered', [...offered, bid(), deposited()], REFUNDABLE_FROM],
  ])('is left to others for a minute when %s', (_, events, due) => {
    const at = (time: number) => desiredIn(state(events, { clocks: clocksAt(time, time) }))
    expect(at(due - 1).filter(([kind]) => kind === 'refund')).toEqual([])
    const undelivered = due === REFUNDABLE_FROM ? [['undelivered', null]] : []
    expect(at(due + 59)).toEqual([...undelivered, ['refund', 'LEFT_TO_OTHERS']])
    expect(at(due + 60)).toEqual([...undelivered, ['refund', null]])
  })

  test('never takes the bond of a winner who has delivered, unless the delivery was refused', () => {
    const clocks = clocksAt(REFUNDABLE_FROM + 99, REFUNDABLE_FROM + 99)
    expect(desiredIn(state(DELIVERED, { clocks }))).toEqual([['settle', null]])
    const subject = settlementName().split(':')[1] as string
    const reactions = reaction({
      kind: 'settle',
      state: 'refused',
      reason: 'NOT_DELIVERED',
      subject,
    })
    const refused = desiredIn(state(DELIVERED, { clocks, reactions }))
    expect(refused).toContainEqual(['undelivered', null])
    expect(refused).toContainEqual(['refund', null])
    // What an enclave said of another delivery doesn't count.
    const other = reaction({ kind: 'settle', state: 'refused', subject: 'another block' })
    expect(desiredIn(state(DELIVERED, { clocks, reactions: other }))).toEqual([['settle', null]])
  })

  test('never takes the bond of a winner whose delivery the index could still come to', () => {
    const won = [...offered, bid(), deposited()]
    const at = (destination: number) =>
      desiredIn(state(won, { clocks: clocksAt(REFUNDABLE_FROM + 99, destination) }))
    expect(at(DEPOSIT_TIME)).toEqual([['refund', 'INDEX_BEHIND']])
    expect(at(scene.FILL_DEADLINE - 1)).toEqual([['refund', 'INDEX_BEHIND']])
    expect(at(scene.FILL_DEADLINE)).toEqual([
      ['undelivered', null],
      ['refund', null],
    ])
  })

  test('by the enclaves’ word needs both chains to have passed the deadline', () => {
    const at = (source: number, destination: number) =>
      desiredIn(state([...offered, bid(), deposited()], { clocks: clocksAt(source, destination) }))
    const end = scene.FILL_DEADLINE
    expect(at(end - 1, end)).toEqual([])
    expect(at(end, end - 1)).toEqual([])
    expect(at(end, end)).toEqual([['undelivered', null]])
  })

  test('that was made is not made again', () => {
    const clocks = clocksAt(END_TIME + 999, END_TIME + 999)
    expect(desiredIn(state([...offered, refunded(0, END_TIME + 5)], { clocks }))).toEqual([])
  })
})

describe('what was done already', () => {
  const ready = { clocks: DEEP }
  test('waits while its transaction is under way, and says what that waits for', () => {
    const sent = { ...ready, transactions: transaction('settle', { state: 'sent' }) }
    expect(desiredIn(state(DELIVERED, sent))).toEqual([['settle', 'TRANSACTION']])
    const poor = { state: 'chosen', problem: 'OUT_OF_GAS' } as const
    const waits = { ...ready, transactions: transaction('settle', poor) }
    expect(desiredIn(state(DELIVERED, waits))).toEqual([['settle', 'OUT_OF_GAS']])
  })

  test('is desired again once the index has passed it and doesn’t show it', () => {
    const over = { state: 'confirmed', blockNumber: 2_000, changedAt: NOW - 10_000 } as const
    const behind = { clocks: DEEP, transactions: transaction('settle', over) }
    expect(desiredIn(state(DELIVERED, behind))).toEqual([['settle', 'INDEX_BEHIND']])
    const past = { ...behind, clocks: clocksAt(T + 1_000, DELIVERED_AT + 5) }
    expect(desiredIn(state(DELIVERED, past))).toEqual([['settle', null]])
  })

  test('is desired again after an hour, however far ahead its block is: a node may have invented that', () => {
    const one = state([created()], { proposal: SIGNED })
    const [{ effect }] = findDesiredEffects(one, SETTINGS, NOW) as [DesiredEffect]
    const over = { state: 'confirmed', blockNumber: 10 ** 12 } as const
    const transactions = transaction('anchor', over, effectName(INTENT, effect))
    const at = (now: number) => desiredIn({ ...one, transactions }, now)
    expect(at(NOW + 3_600_000 - 1)).toEqual([['anchor', 'INDEX_BEHIND']])
    expect(at(NOW + 3_600_000)).toEqual([['anchor', null]])
    // The clock has gone back since.
    expect(at(NOW - 3_600_000)).toEqual([['anchor', null]])
  })

  test('and failed is tried again, each time later', () => {
    for (const [round, ended] of [
      [0, 'failed'],
      [3, 'superseded'],
      [30, 'failed'],
    ] as const) {
      // Its block is ahead of the index's.
      const over = { state: ended, problem: 'AttesterNotActive', round, blockNumber: 10 ** 6 }
      const one = state(DELIVERED, { ...ready, transactions: transaction('settle', over) })
      const pause = retryAfterMs(round)
      expect(desiredIn(one, NOW + pause - 1)).toEqual([['settle', 'AttesterNotActive']])
      expect(desiredIn(one, NOW + pause)).toEqual([['settle', null]])
    }
    expect(retryAfterMs(1_000)).toBe(300_000)
  })

  test('is tried again at once if the clock has gone back since: the pause would last for hours', () => {
    const HOUR = 3_600_000
    const { executionWindow } = scene.TERMS
    const asked = [created(), anchored(), bid(), deposited(), scene.asked()]
    const clocks = clocksAt(DEPOSIT_TIME + executionWindow / 4, DEPOSIT_TIME)
    const [{ effect }] = findDesiredEffects(state(asked, { clocks }), SETTINGS, NOW) as [
      DesiredEffect,
    ]
    const failed = { state: 'failed', problem: 'REVERTED', changedAt: NOW } as const
    const transactions = transaction('reveal', failed, effectName(INTENT, effect))
    const waiting = { kind: 'reveal', reason: 'RPC_UNREACHABLE', triedAt: NOW } as const
    const reactions = reaction({ ...waiting, nextTryAt: NOW + 1_000 })
    const revealAt = (rows: Partial<IntentState>, now: number) =>
      desiredIn(state(asked, { clocks, ...rows }), now).find(([kind]) => kind === 'reveal')
    for (const [back, transactionWaits, reactionWaits] of [
      [0, 'REVERTED', 'RPC_UNREACHABLE'],
      [60_000, 'REVERTED', 'RPC_UNREACHABLE'],
      [HOUR, null, null],
    ] as const) {
      expect(revealAt({ transactions }, NOW - back)).toEqual(['reveal', transactionWaits])
      expect(revealAt({ reactions }, NOW - back)).toEqual(['reveal', reactionWaits])
    }
  })

  test('pauses between attempts that failed before there was a transaction', () => {
    const waiting = { reason: 'RPC_UNREACHABLE', nextTryAt: NOW + 1_000 }
    const reactions = reaction({ kind: 'settle', ...waiting })
    const one = state(DELIVERED, { ...ready, reactions })
    expect(desiredIn(one)).toEqual([['settle', 'RPC_UNREACHABLE']])
    expect(desiredIn(one, NOW + 1_000)).toEqual([['settle', null]])
  })
})

test('whatever the moment and the records, an intent that has ended asks for nothing', () => {
  const ends = [
    [created(), cancelled()],
    [...DELIVERED, settled()],
    [created(), refunded(0, END_TIME + 5)],
    [created(), anchored(), bid(), deposited(), refunded(1, REFUNDABLE_FROM + 5)],
  ]
  const states = fc.constantFrom('chosen', 'sent', 'confirmed', 'failed', 'superseded')
  fc.assert(
    fc.property(
      fc.constantFrom(...ends),
      fc.nat(20_000),
      fc.boolean(),
      states,
      fc.constantFrom('anchor', 'settle', 'refund'),
      (events, after, isSent, sent, kind) => {
        const clocks = clocksAt(T + after, T + after)
        const transactions = transaction(kind, { state: sent as EffectTransaction['state'] })
        const proposal = isSent ? SIGNED : null
        const one = state(events, { clocks, proposal, transactions, isNamed: true })
        expect(desiredIn(one, NOW + 1_000_000)).toEqual([])
      },
    ),
  )
})
