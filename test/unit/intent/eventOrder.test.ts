import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { evolveIntent } from '../../../core/intent/evolveIntent.ts'
import type { BridgeEvent } from '../../../src/event/bridgeEvent.ts'
import type { ChainEvent } from '../../../src/event/chainEvent.ts'
import { type IntentFacts, NO_FACTS } from '../../../src/intent/intentFacts.ts'
import { TERMS as MODEL_TERMS, type ModelChain } from '../projection/model/chainModel.ts'
import { anyWorld } from '../projection/model/randomHistory.ts'
import { fold } from './intentSpecification.ts'
import * as scene from './sampleIntent.ts'

const { created, anchored, bid, deposited, delivered, settled } = scene

/** What the source chain tells: six events of one intent's whole life. */
const ON_SOURCE = [
  created(),
  anchored(),
  bid(950_000n, scene.RIVAL),
  bid(960_000n, scene.SOLVER, scene.T + 30),
  deposited(960_000n),
  settled(),
]

/** What the destination chain tells of it: the winner's delivery among five that don't count. */
const ON_DESTINATION = [
  delivered({ chain2IntentId: 1n, solver: scene.STRANGER }),
  delivered({ chain2IntentId: 2n, tokenB: scene.OTHER_TOKEN }),
  delivered({ chain2IntentId: 3n, amountB: 1n }),
  delivered({ chain2IntentId: 4n, amountB: 960_000n }),
  delivered({ chain2IntentId: 5n, solver: scene.RIVAL }),
  delivered({ chain2IntentId: 6n, at: scene.FILL_DEADLINE }),
]

describe('evolve commutes across chains', () => {
  test('over all 924 interleavings of two histories of six events', () => {
    const orders = [...interleavings(ON_SOURCE, ON_DESTINATION)]
    expect(orders).toHaveLength(924)
    const expected = fold(...ON_SOURCE, ...ON_DESTINATION)
    expect(expected.deliveries).toHaveLength(6)
    expect(expected.source?.phase).toBe('completed')
    for (const order of orders) expect(fold(...order)).toStrictEqual(expected)
  })

  test('over 10,000 random interleavings of random histories of two bridges', () => {
    let compared = 0
    fc.assert(
      fc.property(anyWorld(40), fc.infiniteStream(fc.boolean()), ({ a, b }, coins) => {
        for (const intent of a.intents) {
          const [here, there] = [about(intent.id, a), about(intent.id, b)]
          const expected = foldModel([...here, ...there])
          same(foldModel([...there, ...here]), expected)
          // Histories with events on one chain alone have one order only.
          for (let times = there.length > 0 ? 6 : 0; times > 0; times--) {
            same(foldModel(shuffle(here, there, coins)), expected)
            compared += 1
          }
        }
      }),
      { seed: 924, numRuns: 10_000 },
    )
    expect(compared).toBeGreaterThan(10_000)
  })
})

/** Vitest's comparison says where two differ, and takes long where they don't. */
function same(facts: IntentFacts, expected: IntentFacts): void {
  if (!isDeepStrictEqual(facts, expected)) expect(facts).toStrictEqual(expected)
}

function about(intentId: bigint, { chainId, events, deliveries }: ModelChain): ChainEvent[] {
  const delivered = new Set(
    [...deliveries.values()]
      .filter((delivery) => delivery.intentId === intentId)
      .map(({ chain2IntentId }) => chain2IntentId),
  )
  return events.filter(({ type, args, point }) => {
    if (point.chainId !== chainId) return false
    if (type === 'DeliveryCredited') return delivered.has(args.chain2IntentId)
    return 'intentId' in args && args.intentId === intentId
  })
}

function foldModel(events: readonly ChainEvent[]): IntentFacts {
  return events.reduce<IntentFacts>(
    (facts, event) => evolveIntent(facts, event, { ...MODEL_TERMS, quorum: 1 }),
    NO_FACTS,
  )
}

function* interleavings(
  left: readonly BridgeEvent[],
  right: readonly BridgeEvent[],
): Generator<BridgeEvent[]> {
  if (left.length === 0 || right.length === 0) {
    yield [...left, ...right]
    return
  }
  for (const rest of interleavings(left.slice(1), right)) yield [left[0]!, ...rest]
  for (const rest of interleavings(left, right.slice(1))) yield [right[0]!, ...rest]
}

function shuffle(
  left: readonly ChainEvent[],
  right: readonly ChainEvent[],
  coins: Iterator<boolean>,
): ChainEvent[] {
  const [a, b] = [[...left], [...right]]
  const order: ChainEvent[] = []
  while (a.length > 0 && b.length > 0) order.push((coins.next().value ? a : b).shift()!)
  return [...order, ...a, ...b]
}
