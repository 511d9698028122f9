import type { Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import type { OrderState } from '../../../core/order/orderState.ts'
import { chooseNextTurns } from '../../../services/orders/execution/chooseNextTurns.ts'
import { createFoldedOrders } from '../../../services/orders/follow/foldedOrders.ts'
import { decideGasPayment, type GasRequest } from '../../../services/orders/gas/decideGasPayment.ts'
import { estimateOrderCallGas } from '../../../services/orders/gas/estimateOrderCallGas.ts'
import { admit, findDueTranches } from '../../../services/orders/gas/findTranchesWaitingForGas.ts'
import {
  calculateGasAccounts,
  calculateGasPaidPerOwner,
  NO_GAS,
  uncoveredGas,
  withAddedGas,
} from '../../../services/orders/gas/ownerGasAccounts.ts'
import type { OrdersContext } from '../../../services/orders/ordersContext.ts'
import type { ChainEvent } from '../../../src/event/chainEvent.ts'
import { seededRandom } from '../../rig/seededRandom.ts'
import { closed, ended, fired, funded, START, stateOf } from './orderCase.ts'

/** The account of the owner that all of these orders have. */
const gasAccountOf = (orders: readonly OrderState[], since: ReturnType<typeof period>) =>
  calculateGasAccounts(orders, since).accountOf(orders[0]!.facts.owner)

const { fund, fire, close } = estimateOrderCallGas({ bytes: 1, quorum: 1 })
const SERVICE: Hex = `0x${'5e'.repeat(20)}`
const OTHER: Hex = `0x${'0e'.repeat(20)}`
const DAY = 86_400
const LIMITS = { unpaidGas: 3_000_000n, unpaidGasOfAll: 10_000_000n }
type Events = Parameters<typeof stateOf>

const period = (since: number) => ({ since, account: SERVICE })
/** The service pays for everything but the funding, which its owner has sent. */
const orderOf = (...events: Events): OrderState => {
  const { tranches, ...order } = stateOf(funded(), ...events)
  const fired = tranches.map((tranche) => ({ ...tranche, firedBy: SERVICE }))
  return { ...order, closedBy: order.closedBy && SERVICE, tranches: fired }
}
const paidFor = (order: OrderState): OrderState => ({ ...order, fundedBy: SERVICE })
const account = (since: number, ...events: Events) =>
  gasAccountOf([orderOf(...events)], period(since))
const delivered = [fired(0, START), ended('IntentSettled', 0, START + 9)]

describe('an order’s gas account counts', () => {
  test.each([
    ['is under way', [fired(0, START)], { tranches: fire }],
    ['came back', [fired(0, START), ended('IntentRefunded', 0, START + 9)], { tranches: fire }],
    [
      'was cancelled',
      [fired(0, START), ended('IntentCancelled', 0, START + 9)],
      { tranches: fire },
    ],
    ['was delivered', delivered, { record: fire }],
  ])('a tranche that %s', (_, events, gas) =>
    expect(account(START, ...events)).toEqual({ ...NO_GAS, ...gas }))

  test('a close for a day, if nothing was delivered', () => {
    const order = [closed(3_500n, 2, START + 20)]
    expect(account(START, ...order)).toEqual({ ...NO_GAS, tranches: close })
    expect(account(START + 20, ...order)).toEqual({ ...NO_GAS, tranches: close })
    expect(account(START + 21, ...order)).toEqual(NO_GAS)
    const after = account(START, ...delivered, closed(2_500n, 2, START + 20))
    expect(after).toEqual({ ...NO_GAS, record: fire })
  })

  test('a funding and its future close for a day, if the service sent it and nothing was delivered', () => {
    const of = (since: number, ...events: Events) =>
      gasAccountOf([paidFor(orderOf(...events))], period(since))
    expect(of(START)).toEqual({ ...NO_GAS, fundings: fund, closes: close })
    expect(account(START)).toEqual(NO_GAS)
    expect(of(START, closed(3_500n, 2, START + 20))).toEqual({
      ...NO_GAS,
      fundings: fund,
      tranches: close,
    })
    expect(of(START, ...delivered)).toEqual({ ...NO_GAS, record: fire })
    expect(of(START + 1)).toEqual(NO_GAS)
    // An older one takes nothing from its owner's record while it may still be delivered.
    const both = (order: OrderState) =>
      gasAccountOf([orderOf(...delivered), paidFor(order)], period(START + DAY))
    expect(both(orderOf())).toEqual({ ...NO_GAS, record: fire })
    const spent = both(orderOf(closed(3_500n, 2, START + 20)))
    expect(spent).toEqual({ ...NO_GAS, record: Math.max(0, fire - fund - close) })
  })

  test('every signature that a call carries', () => {
    const three = estimateOrderCallGas({ bytes: 1, quorum: 3 })
    expect(three).toEqual({ fund: fund + 28_000, fire: fire + 28_000, close: close + 28_000 })
  })

  test('nothing that the owner or a stranger sent', () => {
    const cancelled = [fired(0, START), ended('IntentCancelled', 0, START + 9)]
    const order = stateOf(funded(), ...cancelled, closed(2_500n, 2, START + 20))
    expect(gasAccountOf([order], period(START))).toEqual(NO_GAS)
  })

  test('a record once', () => {
    const cancelled = [fired(1, START + DAY), ended('IntentCancelled', 1, START + DAY + 9)]
    const later = [...delivered, ...cancelled, fired(2, START + 3 * DAY)]
    expect(account(START + 2.5 * DAY, ...later)).toEqual({ ...NO_GAS, tranches: fire })
    const wasted = paidFor(orderOf(closed(3_500n, 2, START + 20)))
    const orders = [orderOf(...delivered, fired(1, START + DAY)), wasted]
    expect(uncoveredGas(gasAccountOf(orders, period(START + DAY)))).toBe(fire)
  })
})

const firing: GasRequest = { kind: 'fireTranche', gas: fire }
const funding: GasRequest = { kind: 'fundOrder', gas: fund, close }

describe('whether the service pays', () => {
  test('for a dozen tranches or fundings of a newcomer, and no more', () => {
    const most = { ...NO_GAS, tranches: 11 * fire, fundings: 2_700_000 }
    expect(decideGasPayment(firing, most, 0, LIMITS)).toBeNull()
    const more = { ...NO_GAS, tranches: 13 * fire }
    expect(decideGasPayment(firing, more, 0, LIMITS)).toBe('OWNER_BRINGS_NO_FEE')
    expect(decideGasPayment(funding, most, 0, LIMITS)).toBe('OWNER_BRINGS_NO_FEE')
  })

  test('for nobody without a record once the shared budget is used up; fundings may use half of it', () => {
    const [half, all] = [5_000_000, 10_000_000]
    expect(decideGasPayment(firing, NO_GAS, all - fire, LIMITS)).toBeNull()
    expect(decideGasPayment(firing, NO_GAS, all - fire + 1, LIMITS)).toBe('GAS_BUDGET_SPENT')
    expect(decideGasPayment(funding, NO_GAS, half - fund - close, LIMITS)).toBeNull()
    expect(decideGasPayment(funding, NO_GAS, half - fund - close + 1, LIMITS)).toBe(
      'GAS_BUDGET_SPENT',
    )
  })

  test('for gas that an owner’s record covers, whatever others have used', () => {
    const recorded = { ...NO_GAS, tranches: 2 * fire, record: 5 * fire }
    for (const gasRequest of [firing, funding]) {
      expect(decideGasPayment(gasRequest, recorded, 10 ** 12, LIMITS)).toBeNull()
    }
    const spent = { ...recorded, tranches: 5 * fire }
    expect(decideGasPayment(firing, spent, 10 ** 12, LIMITS)).toBe('GAS_BUDGET_SPENT')
  })

  test('for a funding, counting its close: together they never exceed the limit', () => {
    let taken = calculateGasAccounts([], period(START))
    const owner = (at: number): Hex => `0x${at.toString(16).padStart(40, '0')}`
    for (let at = 0; at < 1_000; at++) {
      const gasRequest = at % 3 === 0 ? funding : firing
      const one = owner(at % 40)
      if (decideGasPayment(gasRequest, taken.accountOf(one), taken.uncovered, LIMITS) !== null)
        continue
      const gas = gasRequest === funding ? { fundings: fund, closes: close } : { tranches: fire }
      taken = withAddedGas(taken, [{ owner: one, gas }])
    }
    expect(taken.uncovered).toBeLessThanOrEqual(10_000_000)
    expect(taken.uncovered).toBeGreaterThan(10_000_000 - fire)
  })
})

describe('with fifty orders due at once', () => {
  const fifty = (...events: Events) => Array.from({ length: 50 }, () => orderOf(...events))
  const may = (orders: readonly OrderState[], since: number) =>
    decideGasPayment(firing, gasAccountOf(orders, period(since)), 0, LIMITS) === null

  test('an owner with delivered tranches gets all of them fired, however old the deliveries', () => {
    expect(may(fifty(...delivered, fired(1, START + 7 * DAY)), START + 6 * DAY)).toBe(true)
  })

  test('a newcomer, and an owner who cancels them all, get a dozen fired', () => {
    const under = (count: number) => may(fifty(fired(0, START)).slice(0, count), START)
    expect([under(11), under(13)]).toEqual([true, false])
    expect(may(fifty(fired(0, START), ended('IntentCancelled', 0, START + 9)), START)).toBe(false)
  })
})

describe('the queue of due tranches', () => {
  /** Orders of as many owners; the third one has a record, and the second one takes more gas. */
  const line = Array.from({ length: 6 }, (_, at) => {
    const owner: Hex = `0x${String(at).repeat(40)}`
    const order = orderOf()
    const facts = { ...order.facts, orderId: `0x${String(at).repeat(64)}` as Hex, owner }
    return { ...order, facts, ...(at === 1 && { size: 20_000 }) }
  })
  const recorded = (owner: Hex) =>
    owner === line[2]!.facts.owner ? { ...NO_GAS, record: fire } : NO_GAS
  const waiting = (unpaidGasOfAll: number, failed: readonly number[] = []) => {
    const limits = { ...LIMITS, unpaidGasOfAll: BigInt(unpaidGasOfAll) }
    const hasFailed = (order: OrderState) => failed.includes(line.indexOf(order as never))
    const found = admit(line, { accountOf: recorded, uncovered: 0 }, limits, hasFailed)
    return line.flatMap(({ facts }, at) => (found.has(facts.orderId) ? [at] : []))
  }

  test('lets no tranche overtake a waiting one by needing less gas, and excludes those that a record covers', () => {
    expect(waiting(0)).toEqual([0, 1, 3, 4, 5])
    expect(waiting(2 * fire)).toEqual([1, 3, 4, 5])
    expect(waiting(2 * fire + 12 * 20_000)).toEqual([3, 4, 5])
    expect(waiting(10 ** 9)).toEqual([])
  })

  test('neither advances a failed tranche nor reserves gas for it', () => {
    expect(waiting(0, [0])).toEqual([0, 1, 3, 4, 5])
    expect(waiting(2 * fire, [4])).toEqual([1, 3, 4, 5])
    // There is room for the first two; those behind don't wait until they succeed.
    expect(waiting(2 * fire + 12 * 20_000, [0, 1])).toEqual([])
  })

  test('keeps the place of a failed tranche', () => {
    const book = createFoldedOrders()
    const ids = [0, 1, 2].map((at): Hex => `0x${String(at).repeat(64)}`)
    for (const [at, orderId] of [...ids.entries()].reverse()) {
      const event = funded(START - 10 + at)
      book.apply({ ...event, args: { ...event.args, orderId } } as ChainEvent)
    }
    const head = { number: 9, hash: '0x09', timestamp: START } as const
    const steps = new Map([
      [ids[1]!, { name: 'fireTranche 0', checkAt: 0, failures: 1, problem: 'X' }],
    ])
    const found = findDueTranches({ halted: new Set(), steps } as never, { book, head })
    expect(found.map(({ facts }) => facts.orderId)).toEqual(ids)
  })

  test('lets one owner’s tranches in only up to its limit, although none of them is fired yet', () => {
    const { owner } = line[0]!.facts
    const orders = Array.from({ length: 20 }, (_, at) => {
      const facts = {
        ...line[0]!.facts,
        owner,
        orderId: `0x${String(at).padStart(64, '0')}` as Hex,
      }
      return { ...line[0]!, facts }
    })
    const found = admit(orders, { accountOf: () => NO_GAS, uncovered: 0 }, LIMITS)
    expect(found.size).toBe(20 - Math.floor(3_000_000 / fire))
    expect(new Set(found.values())).toEqual(new Set(['OWNER_BRINGS_NO_FEE']))
  })

  test('does not let an owner at its limit delay others', () => {
    const spent = { ...NO_GAS, tranches: 3_000_000 }
    const accountOf = (owner: Hex) => (owner === line[0]!.facts.owner ? spent : NO_GAS)
    const found = admit(line, { accountOf, uncovered: 3_000_000 }, LIMITS)
    expect([...found]).toEqual([[line[0]!.facts.orderId, 'OWNER_BRINGS_NO_FEE']])
  })
})

test('a node that reports tomorrow’s time does not end the day’s gas limit', () => {
  const book = createFoldedOrders()
  for (const event of [funded(), fired(0, START)]) book.apply(event)
  const sender = book.all()[Symbol.iterator]().next().value?.tranches[0]?.firedBy as Hex
  const taken = (timestamp: number) => {
    const settings = { now: () => START + 60 }
    const payer = { account: sender, settings } as OrdersContext
    return calculateGasPaidPerOwner(payer, { book, head: { number: 9, hash: '0x09', timestamp } })
      .uncovered
  }
  expect(taken(START + 60)).toBeGreaterThanOrEqual(fire)
  expect(taken(START + 3 * DAY)).toBe(taken(START + 60))
})

test('gas of orders that ended long ago is added up once, and counts as before', () => {
  const random = seededRandom(7)
  const base = createFoldedOrders()
  // The first owner has a record that lasts, the second has none.
  const outcomes = [
    ['IntentSettled', 'IntentSettled', 'IntentRefunded'],
    ['IntentSettled', 'IntentRefunded', 'IntentCancelled'],
  ] as const
  const histories = Array.from({ length: 60 }, (_, at) => {
    const own = <Event extends ChainEvent>(event: Event, more: object = {}): ChainEvent => {
      const orderId: Hex = `0x${String(at).padStart(64, '0')}`
      const transactionFrom = random.fraction() < 0.7 ? SERVICE : OTHER
      const point = { ...event.point, transactionFrom }
      return { ...event, point, args: { ...event.args, orderId, ...more } } as ChainEvent
    }
    const start = START + Math.floor(random.fraction() * 10 * DAY)
    const owner = `0x${String(at % 2).padStart(40, '0')}`
    const intentId = BigInt(at + 1)
    const outcome = random.pick<(typeof outcomes)[number][number]>(outcomes[at % 2]!)
    return [
      own(funded(start), { owner }),
      own(fired(0, start + 60), { intentId }),
      own(ended(outcome, 0, start + 60 + Math.floor(random.fraction() * DAY)), { intentId }),
      own(closed(2_500n, 2, start + 2 * DAY)),
    ]
  })
  const events = histories.flat().sort((a, b) => a.point.blockTimestamp - b.point.blockTimestamp)
  let [checked, recorded] = [0, 0]
  for (let now = START; now < START + 15 * DAY; now += 5_000) {
    while (events[0] && events[0].point.blockTimestamp <= now) base.apply(events.shift()!)
    const book = createFoldedOrders(base)
    // Nodes and clocks differ by up to two hours.
    const time = now - random.pick([0, 7_000])
    const payer = { account: SERVICE, settings: { now: () => time } } as OrdersContext
    const head = { number: 9, hash: '0x09', timestamp: time } as const
    const actual = calculateGasPaidPerOwner(payer, { book, head })
    const expected = calculateGasAccounts(book.all(), period(time - DAY))
    expect(actual.uncovered).toBe(expected.uncovered)
    for (const { facts } of book.all())
      expect(actual.accountOf(facts.owner)).toEqual(expected.accountOf(facts.owner))
    if (expected.uncovered > 0) checked += 1
    if ([...book.all()].some(({ facts }) => actual.accountOf(facts.owner).record > 0)) recorded += 1
  }
  expect(checked).toBeGreaterThan(100)
  expect(recorded).toBeGreaterThan(100)
  expect([[...base.open()], base.ended()?.length]).toEqual([[], 60])
})

/** A thousand orders, the first of which have ended at this time. */
function thousandOrders(ended: number, endTime: number) {
  const one = orderOf()
  return Array.from({ length: 1_000 }, (_, at) => {
    const orderId: Hex = `0x${at.toString(16).padStart(64, '0')}`
    return { ...one, facts: { ...one.facts, orderId, ...(at < ended && { endTime }) } }
  })
}

test.each([
  0, 500,
])('each of a thousand waiting orders gets its turn, %i of them to be closed', (ended) => {
  const orders = thousandOrders(ended, START)
  const steps = new Map<Hex, { checkAt: number }>()
  for (let round = 1; round <= 10; round++) {
    for (const { facts } of chooseNextTurns(orders, steps, START))
      steps.set(facts.orderId, { checkAt: round })
  }
  expect(steps.size).toBe(1_000)
})

test('hundreds of orders that are to be closed leave due tranches most of a round', () => {
  const turns = chooseNextTurns(thousandOrders(600, START), new Map(), START)
  expect(turns).toHaveLength(200)
  expect(turns.slice(0, 150).every(({ facts }) => facts.endTime > START)).toBe(true)
  expect(turns.slice(150).every(({ facts }) => facts.endTime === START)).toBe(true)
  expect(chooseNextTurns(thousandOrders(1_000, START), new Map(), START)).toHaveLength(200)
})
