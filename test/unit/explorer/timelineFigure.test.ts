import { expect, test } from 'vitest'
import { renderTimelineFigure } from '../../../api/explorer/charts/timelineFigure.ts'
import type { IntentRecord } from '../../../api/rest/intents/intentSchema.ts'

/** Pixels inside the figure's frame on a screen of 1280 or more. */
const DESK = 1_161

/** A tranche whose winner asked for the recipients: nothing usual has more steps. */
const TYPES = [
  'IntentCreated',
  'TrancheFired',
  'IntentAnchored',
  'BidPlaced',
  'SolverDeposited',
  'RecipientsAsked',
  'RecipientsRevealed',
  'IntentSolved',
  'IntentSettled',
]

function widthOf(types: string[]): number {
  const timeline = types.map((type) => ({
    type,
    status: null,
    at: '2026-01-31T12:00:00Z',
    chainId: '84532',
    blockNumber: 1,
    txHash: `0x${'1'.repeat(64)}`,
  }))
  const record = {
    sourceChainId: '84532',
    destChainId: '2651420',
    status: 'completed',
    substatus: 'solver_paid',
    refund: null,
    timeline,
  } as unknown as IntentRecord
  return Number(/<svg viewBox="[^"]*" width="(\d+)"/.exec(`${renderTimelineFigure(record)}`)?.[1])
}

test('a timeline fits on a desk, up to ten steps', () => {
  expect(widthOf(TYPES)).toBeLessThanOrEqual(DESK)
  expect(widthOf([...TYPES, 'DeliveryClaimed'])).toBeLessThanOrEqual(DESK)
  expect(widthOf(TYPES.slice(0, 3))).toBeLessThan(DESK)
})
