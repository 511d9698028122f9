import { describe, expect, test } from 'vitest'
import { packIntentId } from '../../../core/intent/intentId.ts'
import {
  judgeSettleRequest,
  type SettleHints,
} from '../../../services/relayer/settlement/judgeSettleRequest.ts'
import type { BridgeEvent } from '../../../src/event/bridgeEvent.ts'
import { foldKnown } from '../intent/intentSpecification.ts'
import * as scene from '../intent/sampleIntent.ts'

const { anchored, bid, cancelled, clocksAt, created, delivered, deposited, settled } = scene
const { DEPOSIT_TIME, DESTINATION, RIVAL, SOLVER, STRANGER, txHash } = scene

const WON = [created(), anchored(), bid(), deposited()]
const SOLVED_AT = DEPOSIT_TIME + 30
const HINTS: SettleHints = {
  chain2IntentId: packIntentId(DESTINATION, 1n),
  solverAddress: SOLVER,
  destChainId: DESTINATION,
  depositTxHash: txHash('SolverDeposited', DEPOSIT_TIME),
  solveTxHash: txHash('IntentSolved', SOLVED_AT),
}
const OTHER = txHash('IntentSolved', 1)

/** What is said of the hints once these events have happened; `depth` blocks lie on the delivery. */
function judge(events: BridgeEvent[], changes: Partial<SettleHints> = {}, depth = 5) {
  const hints = { ...HINTS, ...changes }
  const clocks = clocksAt(SOLVED_AT + depth, SOLVED_AT + depth)
  const verdict = judgeSettleRequest(foldKnown(...events), hints, clocks, () => 5)
  return 'code' in verdict ? verdict.code : verdict.is
}

describe('a request for a settlement', () => {
  test('is due when all hints are true and the delivery is deep enough', () => {
    expect(judge([...WON, delivered()])).toBe('due')
    expect(judge([...WON, delivered()], {}, 4)).toBe('NOT_CONFIRMED')
  })

  test('is done when the same delivery has settled, and refused when another has', () => {
    const over = [...WON, delivered(), settled()]
    expect(judge(over)).toBe('settled')
    expect(judge(over, { solveTxHash: OTHER })).toBe('ALREADY_SETTLED')
    expect(judge(over, { solverAddress: RIVAL })).toBe('ALREADY_SETTLED')
    expect(judge(over, { chain2IntentId: 1n })).toBe('ALREADY_SETTLED')
  })

  test('is refused for a false hint even after the settlement: the answer repeats the hints', () => {
    const over = [...WON, delivered(), settled()]
    expect(judge(over, { depositTxHash: OTHER })).toBe('DEPOSIT_MISMATCH')
    expect(judge(over, { destChainId: 1 })).toBe('DESTINATION_MISMATCH')
  })

  test('fails by the first check that it doesn’t pass', () => {
    const wrong = {
      solverAddress: STRANGER,
      depositTxHash: OTHER,
      destChainId: 1,
      solveTxHash: OTHER,
    }
    expect(judge([created(), cancelled()], wrong)).toBe('INTENT_TERMINAL')
    expect(judge([created(), anchored(), bid()], wrong)).toBe('NOT_DEPOSITED')
    expect(judge(WON, wrong)).toBe('NOT_THE_WINNER')
    expect(judge(WON, { ...wrong, solverAddress: SOLVER })).toBe('DEPOSIT_MISMATCH')
    expect(judge(WON, { destChainId: 1, solveTxHash: OTHER })).toBe('DESTINATION_MISMATCH')
    expect(judge(WON, { solveTxHash: OTHER })).toBe('SOLVE_NOT_FOUND')
    expect(judge([...WON, delivered()], { solveTxHash: OTHER })).toBe('SOLVE_MISMATCH')
    expect(judge([...WON, delivered()], { chain2IntentId: 1n })).toBe('SOLVE_MISMATCH')
    expect(judge([...WON, delivered({ amountB: 1n })])).toBe('DELIVERY_INVALID')
  })

  test('somebody else’s delivery is none', () => {
    expect(judge([...WON, delivered({ solver: RIVAL })])).toBe('SOLVE_NOT_FOUND')
  })
})
