import { describe, expect, test } from 'vitest'
import type { Clocks } from '../../../core/intent/chainClocks.ts'
import { buildTimeline } from '../../../core/intent/timeline.ts'
import type { BridgeEvent } from '../../../src/event/bridgeEvent.ts'
import * as scene from './sampleIntent.ts'

const { created, anchored, bid, deposited, delivered, settled, cancelled, refunded } = scene
const { clocksAt, END_TIME, FILL_DEADLINE, REFUNDABLE_FROM, T } = scene

const won = [created(), anchored(), bid(), deposited()]
const later = clocksAt(REFUNDABLE_FROM + 10, REFUNDABLE_FROM + 10)

describe('timeline', () => {
  test('has a completed intent’s events on both chains, with each change of status', () => {
    expect(timelineOf([delivered(), ...won, settled()], later)).toEqual([
      'IntentCreated → pending',
      'IntentAnchored',
      'BidPlaced',
      'SolverDeposited → solving',
      'IntentSolved → settled',
      'IntentSettled → completed',
    ])
  })

  test('has each event’s place, time and transaction', () => {
    const entries = buildTimeline([...won, delivered()], later, scene.TERMS)
    expect(entries.at(-1)).toEqual({
      type: 'IntentSolved',
      status: 'settled',
      at: scene.DEPOSIT_TIME + 30,
      blockNumber: 1140,
      txHash: scene.txHash('IntentSolved', scene.DEPOSIT_TIME + 30),
      chainId: scene.DESTINATION,
    })
  })

  test('an expired auction is an entry at its time, even if events follow', () => {
    expect(timelineOf([created()], clocksAt(END_TIME - 1))).toEqual(['IntentCreated → pending'])
    const events = [created(), scene.blobAppended(T + 5), refunded(0, END_TIME + 9)]
    expect(timelineOf(events, later)).toEqual([
      'IntentCreated → pending',
      'BlobAppended',
      'AuctionExpired → expired',
      'IntentRefunded',
    ])
    expect(buildTimeline(events, later, scene.TERMS)[2]).toEqual({
      type: 'AuctionExpired',
      status: 'expired',
      at: END_TIME,
      blockNumber: null,
      txHash: null,
      chainId: scene.SOURCE,
    })
  })

  test('an undelivered intent is overdue from fillDeadline on the destination chain', () => {
    expect(timelineOf([...won, refunded(1, REFUNDABLE_FROM)], later).slice(3)).toEqual([
      'SolverDeposited → solving',
      'DeliveryOverdue → failed',
      'IntentRefunded',
    ])
    const overdue = buildTimeline(won, later, scene.TERMS).at(-1)
    expect(overdue).toMatchObject({ at: FILL_DEADLINE, chainId: scene.DESTINATION })
  })

  test('an unsettled delivery fails only by the refund', () => {
    const events = [...won, delivered(), refunded(1, REFUNDABLE_FROM)]
    expect(timelineOf(events, later).slice(4)).toEqual([
      'IntentSolved → settled',
      'IntentRefunded → failed',
    ])
  })

  test('a takeover, a request, its reveal and what the token refused appear', () => {
    const events = [
      ...[
        created(),
        anchored(),
        bid(960_000n, scene.RIVAL),
        scene.forfeited(scene.RIVAL, END_TIME + 70),
      ],
      ...[deposited(950_000n, scene.SOLVER, END_TIME + 70), scene.asked(), scene.revealed()],
      ...[delivered({ at: T + 1500 }), scene.credited(5n, T + 1500)],
    ]
    expect(timelineOf(events, clocksAt(T, T)).slice(3)).toEqual([
      'BidForfeited',
      'SolverDeposited → solving',
      'RecipientsAsked',
      'RecipientsRevealed',
      'IntentSolved → settled',
      'DeliveryCredited',
    ])
  })

  test('strangers’ deliveries and repeated bids aren’t entries', () => {
    const noise = Array.from({ length: 50 }, (_, i) =>
      delivered({ chain2IntentId: BigInt(i + 2), solver: scene.STRANGER }),
    )
    const bids = Array.from({ length: 50 }, (_, i) => bid(950_001n + BigInt(i)))
    const appends = Array.from({ length: 50 }, (_, i) => scene.blobAppended(scene.FIRM_AT + i))
    const auction = [created(), anchored(), bid(), ...bids, ...appends]
    const events = [...auction, deposited(), ...noise]
    expect(timelineOf(events, clocksAt(T, T))).toHaveLength(4)
  })

  test('is empty while the creation is unknown', () => {
    expect(buildTimeline([delivered()], later, scene.TERMS)).toEqual([])
  })

  test('a cancellation is the last entry', () => {
    expect(timelineOf([created(), cancelled()], later)).toEqual([
      'IntentCreated → pending',
      'IntentCancelled → cancelled',
    ])
  })
})

/** Also told with the params hash that is known, which makes no difference. */
function timelineOf(events: BridgeEvent[], clocks: Clocks): string[] {
  const entries = buildTimeline(events, clocks, scene.TERMS)
  expect(buildTimeline(events, clocks, scene.TERMS, scene.PARAMS_HASH)).toEqual(entries)
  return entries.map(({ type, status }) => (status ? `${type} → ${status}` : type))
}
