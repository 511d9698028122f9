import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { computeCutoffs } from '../../../core/intent/asOfCutoff.ts'
import { isByWinner } from '../../../core/intent/findWinnersDelivery.ts'
import { foldTimeline } from '../../../services/store/asOf/loadIntentsAsOf.ts'
import type { ChainEvent } from '../../../src/event/chainEvent.ts'
import type { Delivery, SourceFacts } from '../../../src/intent/intentFacts.ts'
import { TERMS } from '../projection/model/chainModel.ts'
import { foldRows } from '../projection/model/foldRows.ts'
import { anyWorld, CHAIN_A } from '../projection/model/randomHistory.ts'

const HEADS = new Map([
  [1, { timestamp: 1_000 }],
  [2, { timestamp: 700 }],
  [3, { timestamp: 2_000 }],
])

describe('cutoffs', () => {
  test('a named chain is read up to its block, others up to its time or their own head', () => {
    const cutoffs = computeCutoffs([{ chainId: 1, blockNumber: 50, timestamp: 900 }], HEADS)
    expect(cutoffs.get(1)).toEqual({ blockNumber: 50, timestamp: 900 })
    expect(cutoffs.get(2)).toEqual({ blockNumber: null, timestamp: 700 })
    expect(cutoffs.get(3)).toEqual({ blockNumber: null, timestamp: 900 })
  })

  test('with several named chains, the latest time applies to the others', () => {
    const named = [
      { chainId: 1, blockNumber: 50, timestamp: 900 },
      { chainId: 2, blockNumber: 9, timestamp: 100 },
    ]
    const cutoffs = computeCutoffs(named, HEADS)
    expect(cutoffs.get(2)).toEqual({ blockNumber: 9, timestamp: 100 })
    expect(cutoffs.get(3)?.timestamp).toBe(900)
  })
})

test('a history without intermediate bids gives the same facts', () => {
  fc.assert(
    fc.property(anyWorld(150), ({ a, b }) => {
      const store = foldRows(a.events)
      const deliveries = foldRows(b.events).rows('delivery')
      for (const source of store.rows('intent')) {
        const delivered = new Set(deliveries.filter(of(source)).map((one) => one.chain2IntentId))
        const own = [...a.events, ...b.events].filter(
          (event) =>
            isAbout(event, source.intentId) ||
            (event.type === 'DeliveryCredited' && delivered.has(event.args.chain2IntentId)),
        )
        const bids = own.filter(({ type }) => type === 'BidPlaced')
        const kept = new Set([bids[0], bids.at(-1)])
        const events = own.filter((event) => event.type !== 'BidPlaced' || kept.has(event))
        expect(
          foldTimeline({ events, bidCount: bids.length }, { ...TERMS, quorum: source.quorum }),
        ).toEqual({
          source,
          deliveries: deliveries.filter((delivery) => isByWinner(source, delivery)),
        })
      }
    }),
    { seed: 9, numRuns: 60 },
  )
})

function of({ sourceChainId, intentId }: SourceFacts): (delivery: Delivery) => boolean {
  return (delivery) => delivery.sourceChainId === sourceChainId && delivery.intentId === intentId
}

function isAbout(event: ChainEvent, intentId: bigint): boolean {
  if (!('intentId' in event.args) || event.args.intentId !== intentId) return false
  return event.type === 'IntentSolved'
    ? Number(event.args.sourceChainId) === CHAIN_A
    : event.point.chainId === CHAIN_A
}
