import assert from 'node:assert/strict'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  calculateImbalance,
  calculateOrderAmounts,
} from '../../../core/order/calculateOrderAmounts.ts'
import { decideOrderAction, findNextCheckTime } from '../../../core/order/decideOrderAction.ts'
import { evolveOrderState, type OrderState } from '../../../core/order/orderState.ts'
import { closed, ended, fired, funded, START } from './orderCase.ts'

const RUNS = Number(process.env.ORDER_SCHEDULES ?? 10_000)

/** The vault, as OrderVault.sol has it: what it refuses must never be asked of it. */
class Vault {
  state: OrderState
  times: number[] = []
  closes = 0

  constructor(schedule: Schedule, at: number) {
    this.state = evolveOrderState(null, funded(at, schedule))!
  }

  fire(n: number, now: number): void {
    const { facts } = this.state
    assert.equal(facts.closeReason, null)
    assert.equal(n, facts.tranchesFired)
    assert.ok(now >= facts.firstAt + n * facts.period)
    if (facts.lastFiredAt !== null) assert.ok(2 * (now - facts.lastFiredAt) >= facts.period)
    assert.ok(now < facts.endTime)
    assert.ok(facts.remaining >= facts.amountPerPeriod)
    this.times.push(now)
    this.state = evolveOrderState(this.state, fired(n, now))!
  }

  close(amount: bigint, now: number, reason: number): void {
    assert.equal(amount, this.state.facts.remaining)
    this.closes += 1
    this.state = evolveOrderState(this.state, closed(amount, reason, now))!
  }
}

type Schedule = {
  total: bigint
  perPeriod: bigint
  period: number
  startTime: number
  endTime: number
}

const schedules = fc
  .record({
    perPeriod: fc.bigInt(1n, 1_000n),
    tranches: fc.integer({ min: 1, max: 12 }),
    rest: fc.bigInt(0n, 999n),
    period: fc.oneof(fc.constant(5), fc.integer({ min: 5, max: 400 })),
    startTime: fc.integer({ min: START - 2_000, max: START + 2_000 }),
    length: fc.integer({ min: 1, max: 6_000 }),
  })
  .map(({ perPeriod, tranches, rest, period, startTime, length }) => ({
    perPeriod,
    period,
    startTime,
    total: perPeriod * BigInt(tranches) + (rest % perPeriod),
    endTime: startTime + length,
  }))
  .filter(({ endTime }) => endTime > START)

/** What happens to the service and to its tranches: a look after so long, on a clock that may be off. */
const moments = fc.array(
  fc.record({
    pass: fc.oneof(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 900 })),
    skew: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.integer({ min: -300, max: 0 })),
    outcome: fc.constantFrom('IntentSettled', 'IntentCancelled', 'IntentRefunded', null),
    cancels: fc.integer({ min: 0, max: 30 }).map((dice) => dice === 0),
  }),
  { minLength: 1, maxLength: 40 },
)

const REASONS = { filled: 0, end_time: 1, user_cancel: 2 } as const

test(`${RUNS} random schedules: the vault takes all that is decided, once, and every unit is accounted for`, () => {
  const stops = new Set<string>()
  fc.assert(
    fc.property(schedules, moments, (schedule, steps) => {
      const vault = new Vault(schedule, START)
      let now = START
      for (const { pass, skew, outcome, cancels } of steps) {
        now += pass
        // A clock that lags asks for nothing that isn't due; one that goes back asks for nothing twice.
        const command = { type: cancels ? 'cancel' : 'advance' } as const
        const decided = decideOrderAction(command, vault.state, now + (cancels ? 0 : skew))
        if (decided === 'CLOSED') continue
        assert.ok(decided.length <= 1)
        for (const intention of decided) {
          // What a clock that lags behind the end asks for, the vault refuses; the next look closes.
          if (intention.type === 'TrancheFired' && skew < 0 && now >= schedule.endTime) continue
          if (intention.type === 'TrancheFired') vault.fire(intention.n, now)
          else vault.close(intention.amount, now, REASONS[intention.reason])
        }
        const open = vault.state.tranches.findIndex((one) => one.outcome === 'open')
        if (outcome !== null && open >= 0) {
          const event = ended(outcome, open, now, schedule.perPeriod)
          vault.state = evolveOrderState(vault.state, event)!
        }
        assert.equal(calculateImbalance(vault.state.facts), 0n)
      }
      finish(vault, now)
      checkEnd(vault, schedule)
      stops.add(vault.state.facts.closeReason ?? 'nothing left')
    }),
    { numRuns: RUNS },
  )
  expect([...stops].sort()).toEqual(['end_time', 'filled', 'nothing left', 'user_cancel'])
})

/** Looks whenever there is something to see, until there never is again. */
function finish(vault: Vault, from: number): void {
  let now = from
  for (;;) {
    const next = findNextCheckTime(vault.state)
    if (next === null) return
    now = Math.max(now, next)
    const decided = decideOrderAction({ type: 'advance' }, vault.state, now)
    // Whoever looks when told to look finds something to do: nothing spins.
    assert.equal(decided.length, 1)
    for (const intention of decided === 'CLOSED' ? [] : decided) {
      if (intention.type === 'TrancheFired') vault.fire(intention.n, now)
      else vault.close(intention.amount, now, REASONS[intention.reason])
    }
  }
}

function checkEnd({ state, times, closes }: Vault, { perPeriod, period, total }: Schedule): void {
  const { facts } = state
  assert.equal(facts.remaining, 0n)
  assert.ok(closes <= 1)
  assert.ok(BigInt(times.length) * perPeriod <= total)
  // Never a burst: no two in one period of the schedule.
  const periods = times.map((time) => Math.floor((time - facts.firstAt) / period))
  assert.equal(new Set(periods).size, periods.length)
  const { spent, refunded, left } = calculateOrderAmounts(facts)
  assert.equal(spent + refunded + left, total)
  assert.ok(spent >= 0n)
}
