import { describe, expect, test } from 'vitest'
import type { Clocks } from '../../../core/intent/chainClocks.ts'
import { deriveRefund, type Refund } from '../../../core/intent/refundStatus.ts'
import type { BridgeEvent } from '../../../src/event/bridgeEvent.ts'
import { foldKnown } from './intentSpecification.ts'
import * as scene from './sampleIntent.ts'

const { created, anchored, bid, deposited, delivered, settled, cancelled, refunded } = scene
const { clocksAt, END_TIME, PICKUP_DEADLINE, FILL_DEADLINE, REFUNDABLE_FROM, T } = scene

const ESCROW = 1_005_000n
const won = [created(), anchored(), bid(), deposited()]

describe('refund', () => {
  test('none while the auction runs, due from the second in which it expired', () => {
    expectRefund([created()], clocksAt(END_TIME - 1)).toBeNull()
    expectRefund([created()], clocksAt(END_TIME)).toEqual(owed('due', ESCROW, END_TIME))
    const bids = [created(), anchored(), bid()]
    expectRefund(bids, clocksAt(PICKUP_DEADLINE - 1)).toBeNull()
    expectRefund(bids, clocksAt(PICKUP_DEADLINE)).toEqual(owed('due', ESCROW, PICKUP_DEADLINE))
  })

  test('waiting through the settlement grace of a failed intent, then due', () => {
    expectRefund(won, clocksAt(FILL_DEADLINE, FILL_DEADLINE - 1)).toBeNull()
    expectRefund(won, clocksAt(FILL_DEADLINE, FILL_DEADLINE)).toEqual(
      owed('waiting', ESCROW, REFUNDABLE_FROM, FILL_DEADLINE),
    )
    expectRefund(won, clocksAt(REFUNDABLE_FROM - 1, FILL_DEADLINE)).toEqual(
      owed('waiting', ESCROW, REFUNDABLE_FROM, FILL_DEADLINE),
    )
    expectRefund(won, clocksAt(REFUNDABLE_FROM, T)).toEqual(owed('due', ESCROW, REFUNDABLE_FROM))
  })

  test('a valid delivery holds it off until the grace is over', () => {
    const solved = [...won, delivered()]
    const late = FILL_DEADLINE * 2
    expectRefund(solved, clocksAt(REFUNDABLE_FROM - 1, late)).toBeNull()
    expectRefund(solved, clocksAt(REFUNDABLE_FROM, late)).toMatchObject({
      status: 'due',
      attestableAt: null,
    })
  })

  test('done names the transaction and the whole amount', () => {
    const after = clocksAt(REFUNDABLE_FROM + 1, REFUNDABLE_FROM + 1)
    expectRefund([created(), cancelled()], after).toEqual(done(ESCROW, 'IntentCancelled', T + 50))
    expectRefund([created(), refunded(0, END_TIME)], after).toEqual(
      done(ESCROW, 'IntentRefunded', END_TIME),
    )
    expectRefund([...won, refunded(1, REFUNDABLE_FROM)], after).toEqual(
      done(ESCROW, 'IntentRefunded', REFUNDABLE_FROM),
    )
  })

  test('none for a completed intent, however late', () => {
    expectRefund([...won, delivered(), settled()], clocksAt(REFUNDABLE_FROM)).toBeNull()
  })
})

function expectRefund(events: BridgeEvent[], clocks: Clocks) {
  return expect(deriveRefund(foldKnown(...events), clocks, scene.TERMS))
}

function owed(
  status: 'due' | 'waiting',
  amount: bigint,
  claimableAt: number,
  attestableAt: number | null = null,
): Refund {
  return { status, amount, claimableAt, attestableAt, txHash: null, at: null }
}

function done(amount: bigint, type: 'IntentCancelled' | 'IntentRefunded', at: number): Refund {
  const never = { claimableAt: null, attestableAt: null }
  return { status: 'done', amount, ...never, txHash: scene.txHash(type, at), at }
}
