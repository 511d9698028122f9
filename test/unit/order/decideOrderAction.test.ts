import { describe, expect, test } from 'vitest'
import { findNextCheckTime } from '../../../core/order/decideOrderAction.ts'
import {
  countFailuresInARow,
  findTrancheFiringTime,
} from '../../../core/order/findTrancheFiringTime.ts'
import { closed, ended, fired, funded, given, START, stateOf } from './orderCase.ts'

const fire = (n: number) => ({ type: 'TrancheFired', n }) as const
const close = (reason: 'filled' | 'end_time' | 'user_cancel', amount: bigint) =>
  ({ type: 'OrderClosed', reason, amount }) as const

describe('a schedule', () => {
  test('the first tranche goes at once when the start has passed', () => {
    given(funded(START + 30))
      .whenLooking(START + 30)
      .decides(fire(0))
  })
  test('and at the start when it has not', () => {
    const order = given(funded(START - 100))
    order.whenLooking(START - 1).decides()
    order.whenLooking(START).decides(fire(0))
  })
  test('each further one a period later', () => {
    const order = given(funded(), fired(0, START))
    order.whenLooking(START + 59).decides()
    order.whenLooking(START + 60).decides(fire(1))
  })
  test('a tranche that came late does not move those after it', () => {
    const order = given(funded(), fired(0, START + 20))
    order.whenLooking(START + 59).decides()
    order.whenLooking(START + 60).decides(fire(1))
  })
  test('but half a period lies between two, as the vault demands', () => {
    const order = given(funded(), fired(0, START + 55))
    order.whenLooking(START + 84).decides()
    order.whenLooking(START + 85).decides(fire(1))
  })
  test('one tranche is an order too, and what is left goes back', () => {
    const one = funded(START, { total: 1_999n })
    given(one).whenLooking(START).decides(fire(0))
    given(one, fired(0, START)).whenLooking(START).decides(close('filled', 999n))
    expect(findNextCheckTime(stateOf(one, fired(0, START)))).toBe(0)
  })
  test('exactly what a tranche takes is enough for one', () => {
    const last = given(funded(START, { total: 2_000n }), fired(0, START))
    last.whenLooking(START + 60).decides(fire(1))
    expect(findNextCheckTime(last.state)).toBe(START + 60)
  })
  test('the shortest period', () => {
    const order = given(funded(START, { period: 5 }), fired(0, START + 4))
    order.whenLooking(START + 6).decides()
    order.whenLooking(START + 7).decides(fire(1))
  })
})

describe('after downtime', () => {
  const late = given(funded(), fired(0, START)).state
  test('what is due is fired once', () => {
    given(funded(), fired(0, START))
      .whenLooking(START + 250)
      .decides(fire(1))
  })
  test('and the missed ones are not made up for by a burst', () => {
    const order = given(funded(), fired(0, START), fired(1, START + 250))
    order.whenLooking(START + 250 + 30).decides()
    order.whenLooking(START + 299).decides()
    order.whenLooking(START + 300).decides(fire(2))
    expect(findTrancheFiringTime(order.state)).toBe(START + 300)
  })
  test('the end applies all the same', () => {
    given(funded(), fired(0, START))
      .whenLooking(START + 600)
      .decides(close('end_time', 2_500n))
    expect(findNextCheckTime(late)).toBe(START + 60)
  })
})

describe('stops', () => {
  test('filled: nothing left to send back needs no transaction', () => {
    const full = funded(START, { total: 2_000n })
    const order = given(full, fired(0, START), fired(1, START + 60))
    order.whenLooking(START + 60).decides()
    order.whenCancelled(START + 61).decides()
    expect(findNextCheckTime(order.state)).toBeNull()
  })
  test('end time before the first tranche', () => {
    given(funded())
      .whenLooking(START + 600)
      .decides(close('end_time', 3_500n))
  })
  test('no tranche fits before the end: it waits for the end', () => {
    const order = given(
      funded(START, { endTime: START + 61 }),
      fired(0, START),
      fired(1, START + 60),
    )
    order.whenLooking(START + 60).decides()
    expect(findNextCheckTime(order.state)).toBe(START + 61)
  })
  test('a cancel before the start, between tranches, and after the last', () => {
    given(funded(START - 50))
      .whenCancelled(START - 50)
      .decides(close('user_cancel', 3_500n))
    given(funded(), fired(0, START))
      .whenCancelled(START + 5)
      .decides(close('user_cancel', 2_500n))
    const all = [fired(0, START), fired(1, START + 60), fired(2, START + 120)]
    given(funded(), ...all)
      .whenCancelled(START + 130)
      .decides(close('filled', 500n))
    given(funded())
      .whenCancelled(START + 600)
      .decides(close('end_time', 3_500n))
  })
  test('a cancel wins over a tranche that is due', () => {
    given(funded()).whenCancelled(START).decides(close('user_cancel', 3_500n))
  })
  test('nothing more after the close', () => {
    expect(stateOf(funded(), fired(0, START)).closedBy).toBeNull()
    const order = given(funded(), fired(0, START), closed(2_500n, 2, START + 10))
    expect(order.state.closedBy).toBe(order.state.facts.owner)
    order.whenLooking(START + 60).decides()
    order.whenLooking(START + 6_000).decides()
    order.whenCancelled(START + 60).refuses('CLOSED')
  })
})

describe('tranches that nobody delivers', () => {
  const failed = (count: number) =>
    Array.from({ length: count }, (_, n) => [
      fired(n, START + n * 60),
      ended('IntentRefunded', n, START + n * 60 + 50),
    ]).flat()
  const long = funded(START, { total: 50_000n, endTime: START + 100_000 })

  test('after three in a row it waits two periods, then four', () => {
    expect(findTrancheFiringTime(stateOf(long, ...failed(2)))).toBe(START + 120)
    expect(findTrancheFiringTime(stateOf(long, ...failed(3)))).toBe(START + 120 + 120)
    expect(findTrancheFiringTime(stateOf(long, ...failed(4)))).toBe(START + 180 + 240)
  })
  test('and never past the end, at which the rest goes back', () => {
    for (const endTime of [START + 239, START + 240]) {
      const state = stateOf(funded(START, { total: 50_000n, endTime }), ...failed(3))
      expect(findTrancheFiringTime(state)).toBeNull()
      expect(findNextCheckTime(state)).toBe(endTime)
    }
  })
  test('a delivery resets the delay', () => {
    const state = stateOf(long, ...failed(3), fired(3, START + 240), ended('IntentSettled', 3, 9))
    expect(countFailuresInARow(state)).toBe(0)
    expect(findTrancheFiringTime(state)).toBe(START + 300)
  })
  test('those that are under way say nothing, and the owner’s cancel is no failure', () => {
    const state = stateOf(long, ...failed(3), fired(3, START + 240))
    expect(countFailuresInARow(state)).toBe(3)
    const cancelled = stateOf(long, ...failed(3), fired(3, 1), ended('IntentCancelled', 3, 2))
    expect(countFailuresInARow(cancelled)).toBe(0)
  })
  test('one whose winner didn’t deliver came back too', () => {
    const undelivered = ended('IntentRefunded', 2, START + 150)
    Object.assign(undelivered.args, { reason: 1 })
    const state = stateOf(long, ...failed(2), fired(2, START + 120), undelivered)
    expect(state.tranches.at(-1)?.outcome).toBe('failed')
    expect(countFailuresInARow(state)).toBe(3)
  })
  test('an end is about its own tranche alone', () => {
    const state = stateOf(long, ...failed(1), fired(1, START + 60), ended('IntentSettled', 1, 9))
    expect(state.tranches.map(({ outcome }) => outcome)).toEqual(['refunded', 'settled'])
  })
  test('what came back is refunded, no longer spent', () => {
    const { tranches, facts } = stateOf(long, ...failed(2))
    expect(tranches.map(({ outcome }) => outcome)).toEqual(['refunded', 'refunded'])
    expect(facts.amountRefunded).toBe(2_000n)
  })
})
