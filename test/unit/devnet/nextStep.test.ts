import { describe, expect, it } from 'vitest'
import type { Fate, FateKind } from '../../../services/devnet/traffic/fate.ts'
import { type Clocks, nextStep, type Step } from '../../../services/devnet/traffic/nextStep.ts'
import type { ObservedIntent } from '../../../services/devnet/traffic/observedIntent.ts'

const windows = { pickup: 4, execution: 8, grace: 5 }
const SOLVER_1 = '0x1111111111111111111111111111111111111111'
const STRANGER = '0x9999999999999999999999999999999999999999'
const solverIndex = (address: string) => (address === SOLVER_1 ? 1 : -1)

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
  endTime: 100,
  feeBps: 250,
  blobAtCreation: false,
  solver: null,
  amountB: 0n,
  fillDeadline: 0,
  delivery: null,
}
const bidden: ObservedIntent = { ...open, solver: SOLVER_1, amountB: 1_010n }
const deposited: ObservedIntent = { ...bidden, phase: 'deposited', fillDeadline: 110 }
const delivered: ObservedIntent = {
  ...deposited,
  delivery: { chain2IntentId: 5n, solveTxHash: '0x05', amountB: 1_010n, solvedAt: 105 },
}

function step(
  intent: ObservedIntent,
  kind: FateKind,
  clocks: number | Clocks,
  more?: Partial<Fate>,
) {
  const fate: Fate = {
    kind,
    auctionSeconds: 20,
    bids: [
      { solver: 0, marginBps: 10 },
      { solver: 1, marginBps: 20 },
    ],
    recipients: 1,
    settleAfter: 3,
    refundAfter: 2,
    ...more,
  }
  const now = typeof clocks === 'number' ? { source: clocks, destination: clocks } : clocks
  return nextStep(intent, fate, now, windows, solverIndex)
}

const given = (cases: [string, Step | null, Step | null][]) => it.each(cases)
const deposit = (solver: number, amountB: bigint): Step => ({ do: 'deposit', solver, amountB })
const solve = (amountB: bigint): Step => ({ do: 'solve', solver: 1, amountB })

describe('while the auction runs', () => {
  given([
    ['anchors first', step({ ...open, feeBps: 0 }, 'completed', 81), { do: 'anchor' }],
    ['then bids', step(open, 'completed', 82), { do: 'bid', solver: 0, amountB: 1_001n }],
    [
      'bids higher',
      step({ ...open, solver: SOLVER_1, amountB: 1_001n }, 'completed', 83),
      { do: 'bid', solver: 1, amountB: 1_002n },
    ],
    ['then waits', step({ ...open, solver: SOLVER_1, amountB: 1_002n }, 'completed', 84), null],
    ['ignores what is to be ignored', step(open, 'ignored', 82, { bids: [] }), null],
    ['never anchors the unanchored', step({ ...open, feeBps: 0 }, 'unanchored', 82), null],
    ['cancels at once', step({ ...open, feeBps: 0 }, 'cancelledAtOnce', 81), { do: 'cancel' }],
    ['keeps the other cancel waiting', step(open, 'cancelledLater', 89), null],
    ['cancels half-way', step(open, 'cancelledLater', 90), { do: 'cancel' }],
  ])('%s', (_, found, expected) => expect(found).toEqual(expected))
})

describe('once the auction is over', () => {
  given([
    ['the best bidder deposits', step(bidden, 'completed', 100), deposit(1, 1_010n)],
    ['not when its deposit would come too late', step(bidden, 'completed', 103), null],
    ['another one may from then on', step(bidden, 'completed', 104), deposit(2, 1_000n)],
    ['a rescuer waits for that', step(bidden, 'rescued', 101), null],
    ['and comes', step(bidden, 'rescued', 105), deposit(2, 1_000n)],
    ['nobody comes to the abandoned', step(bidden, 'abandoned', 105), null],
    [
      'a stranger may keep its own bid',
      step({ ...bidden, solver: STRANGER }, 'completed', 101),
      null,
    ],
    ['no bid: not refunded yet', step(open, 'ignored', 101), null],
    ['no bid: refunded', step(open, 'ignored', 102), { do: 'refund' }],
    ['no deposit: not refunded yet', step(bidden, 'abandoned', 109), null],
    ['no deposit: refunded', step(bidden, 'abandoned', 110), { do: 'refund' }],
  ])('%s', (_, found, expected) => expect(found).toEqual(expected))
})

describe('once a winner has deposited', () => {
  const late = { ...deposited, delivery: { ...delivered.delivery!, solvedAt: 110 } }
  const short = { ...deposited, delivery: { ...delivered.delivery!, amountB: 1_009n } }
  given([
    ['it delivers', step(deposited, 'completed', 102), solve(1_010n)],
    ['too little by plan', step(deposited, 'shortDelivery', 102), solve(909n)],
    ['too late by plan: not yet', step(deposited, 'lateDelivery', 109), null],
    ['too late by plan', step(deposited, 'lateDelivery', 110), solve(1_010n)],
    ['never by plan', step(deposited, 'undelivered', 105), null],
    ['not after the deadline', step(deposited, 'completed', 110), null],
    [
      'the destination’s clock decides that',
      step(deposited, 'completed', { source: 112, destination: 109 }),
      solve(1_010n),
    ],
    ['and not the source’s', step(deposited, 'completed', { source: 105, destination: 110 }), null],
    [
      'a stranger delivers itself',
      step({ ...deposited, solver: STRANGER }, 'completed', 102),
      null,
    ],
    ['a delivery is settled in its time', step(delivered, 'completed', 107), null],
    ['settled', step(delivered, 'completed', 108), { do: 'settle' }],
    ['settled even after the grace', step(delivered, 'completed', 500), { do: 'settle' }],
    ['undelivered: not refunded yet', step(deposited, 'undelivered', 116), null],
    ['undelivered: refunded', step(deposited, 'undelivered', 117), { do: 'refund' }],
    ['a late delivery doesn’t help', step(late, 'lateDelivery', 117), { do: 'refund' }],
    ['a short delivery doesn’t help', step(short, 'shortDelivery', 117), { do: 'refund' }],
    ['and is not made again', step(short, 'shortDelivery', 106), null],
  ])('%s', (_, found, expected) => expect(found).toEqual(expected))
})
