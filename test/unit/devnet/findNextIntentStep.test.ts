import { describe, expect, it } from 'vitest'
import {
  type Clocks,
  findNextIntentStep,
  type Step,
} from '../../../devnet/traffic/findNextIntentStep.ts'
import type { ObservedIntent } from '../../../devnet/traffic/observedIntent.ts'
import type { Scenario, ScenarioKind } from '../../../devnet/traffic/scenario.ts'

const windows = { pickup: 4, execution: 16, grace: 5 }
const ROGUE = '0x1111111111111111111111111111111111111111'
const STRANGER = '0x9999999999999999999999999999999999999999'

const open: ObservedIntent = {
  id: 1n,
  sourceChainId: 84532,
  destChainId: 2651420,
  phase: 'open',
  sender: '0x2222222222222222222222222222222222222222',
  tokenA: '0x3333333333333333333333333333333333333333',
  tokenB: '0x4444444444444444444444444444444444444444',
  amountA: 1_000n,
  expectedAmountB: 1_000n,
  paramsHash: '0x0a',
  blobsHash: '0x0b',
  asked: false,
  revealed: false,
  refusesFirst: false,
  endTime: 100,
  feeBps: 250,
  blobAtCreation: false,
  isStored: false,
  solver: null,
  amountB: 0n,
  fillDeadline: 0,
  delivery: null,
}
const fresh: ObservedIntent = { ...open, feeBps: 0 }
const taken: ObservedIntent = { ...open, solver: STRANGER, amountB: 1_010n }
const bidden: ObservedIntent = { ...open, solver: ROGUE, amountB: 1_010n }
const deposited: ObservedIntent = { ...bidden, phase: 'deposited', fillDeadline: 116 }
const delivered: ObservedIntent = {
  ...deposited,
  delivery: { chain2IntentId: 5n, solveTxHash: '0x05', amountB: 1_010n, solvedAt: 105 },
}

function step(intent: ObservedIntent, kind: ScenarioKind, clocks: number | Clocks) {
  const fate: Scenario = { kind, auctionSeconds: 20, recipients: 1, refundAfter: 2 }
  const now = typeof clocks === 'number' ? { source: clocks, destination: clocks } : clocks
  return findNextIntentStep(intent, fate, now, windows, ROGUE)
}

const given = (cases: [string, Step | null, Step | null][]) => it.each(cases)
const asSender = (what: 'store' | 'cancel' | 'refund' | 'blacklist' | 'unblacklist'): Step => ({
  do: what,
  by: 'sender',
})
const asRogue = (what: 'bid' | 'deposit', amountB: bigint): Step => ({
  do: what,
  by: 'rogue',
  amountB,
})
const delivers = (amountB: bigint, named = false): Step => ({
  do: 'deliver',
  by: 'rogue',
  amountB,
  named,
})

const asksStep: Step = { do: 'ask', by: 'rogue' }

describe('a sender', () => {
  given([
    ['tells the recipients', step(fresh, 'completed', 81), asSender('store')],
    [
      'not if they came with the creation',
      step({ ...fresh, blobAtCreation: true }, 'completed', 81),
      null,
    ],
    ['not twice', step(open, 'completed', 82), null],
    ['not while it awaits the anchor', step({ ...fresh, isStored: true }, 'completed', 82), null],
    ['never for the unanchored', step(fresh, 'unanchored', 82), null],
    ['cancels at once', step(fresh, 'cancelledAtOnce', 81), asSender('cancel')],
    ['keeps the other cancel waiting', step(open, 'cancelledLater', 89), null],
    ['cancels half-way', step(open, 'cancelledLater', 90), asSender('cancel')],
    ['can’t cancel what has a bid', step(taken, 'cancelledLater', 90), null],
    ['no bid: doesn’t ask for its refund yet', step(open, 'ignored', 101), null],
    ['no bid: asks for it', step(open, 'ignored', 102), asSender('refund')],
    ['no deposit: not yet', step(bidden, 'abandoned', 109), null],
    ['no deposit: asks for it', step(bidden, 'abandoned', 110), asSender('refund')],
    ['undelivered: not yet', step(deposited, 'undelivered', 122), null],
    ['undelivered: asks for it', step(deposited, 'undelivered', 123), asSender('refund')],
    ['never once it was delivered', step(delivered, 'completed', 500), null],
    ['has the token refuse the first recipient', step(open, 'refused', 82), asSender('blacklist')],
    ['not before the relayer has it', step(fresh, 'refused', 82), asSender('store')],
    ['not twice', step({ ...open, refusesFirst: true }, 'refused', 83), null],
    [
      'has it paid after the delivery',
      step({ ...delivered, refusesFirst: true }, 'refused', 106),
      asSender('unblacklist'),
    ],
    ['and nothing more', step(delivered, 'refused', 107), null],
    [
      'a late delivery is none',
      step(
        { ...deposited, delivery: { ...delivered.delivery!, solvedAt: 116 } },
        'lateDelivery',
        123,
      ),
      asSender('refund'),
    ],
    [
      'a short delivery is none',
      step(
        { ...deposited, delivery: { ...delivered.delivery!, amountB: 1n } },
        'shortDelivery',
        123,
      ),
      asSender('refund'),
    ],
  ])('%s', (_, found, expected) => expect(found).toEqual(expected))
})

describe('the rogue solver', () => {
  given([
    ['bids for what nobody wants', step(open, 'undelivered', 82), asRogue('bid', 1_000n)],
    ['once', step(bidden, 'undelivered', 83), null],
    ['nothing for what others shall take', step(open, 'completed', 82), null],
    ['waits for the last moment', step(taken, 'rescued', 97), null],
    ['and outbids everybody by little', step(taken, 'rescued', 98), asRogue('bid', 1_012n)],
    ['but not itself', step(bidden, 'rescued', 99), null],
    ['spoils an auction at once', step(open, 'spoiled', 82), asRogue('bid', 10_000n)],
    ['and doesn’t come', step(bidden, 'spoiled', 101), null],
    ['doesn’t come', step(bidden, 'rescued', 101), null],
    ['doesn’t come to the abandoned', step(bidden, 'abandoned', 101), null],
    ['deposits by plan', step(bidden, 'undelivered', 100), asRogue('deposit', 1_010n)],
    ['doesn’t deliver by plan', step(deposited, 'undelivered', 105), null],
    ['delivers too little by plan', step(deposited, 'shortDelivery', 102), delivers(909n)],
    ['too late by plan: not yet', step(deposited, 'lateDelivery', 115), null],
    ['too late by plan', step(deposited, 'lateDelivery', 116), delivers(1_010n)],
    [
      'by the destination’s clock',
      step(deposited, 'lateDelivery', { source: 118, destination: 115 }),
      null,
    ],
    ['says nothing in the first quarter', step(deposited, 'asked', 103), null],
    ['asks for the recipients in the second', step(deposited, 'asked', 104), asksStep],
    ['once', step({ ...deposited, asked: true }, 'asked', 105), null],
    ['and not too late', step(deposited, 'asked', 107), null],
    [
      'delivers what was revealed',
      step({ ...deposited, asked: true, revealed: true }, 'asked', 110),
      delivers(1_010n, true),
    ],
    [
      'leaves the wins of others alone',
      step({ ...deposited, solver: STRANGER }, 'shortDelivery', 102),
      null,
    ],
  ])('%s', (_, found, expected) => expect(found).toEqual(expected))
})
