import fc from 'fast-check'
import { expect, test } from 'vitest'
import { InMemoryRowStore } from '../../../core/rows/inMemoryRowStore.ts'
import type { ChainEvent, ChainEventType } from '../../../src/event/chainEvent.ts'
import { sumOwed } from '../../../tools/replay/checkBalances.ts'
import {
  composeStatements,
  computeClosing,
  copyOwed,
} from '../../../tools/report/composeStatements.ts'
import { foldRows } from '../projection/model/foldRows.ts'
import { anyWorld } from '../projection/model/randomHistory.ts'

/** The events that move a listed token, of either contract. */
const MOVING: readonly ChainEventType[] = [
  ...(['IntentCreated', 'IntentSettled', 'IntentCancelled', 'IntentRefunded'] as const),
  ...(['BidForfeited', 'StakeAdded', 'StakeRemoved', 'FeesCollected'] as const),
  ...(['CreditAdded', 'CreditClaimed', 'DeliveryCredited', 'DeliveryClaimed'] as const),
  ...(['OrderFunded', 'TrancheFired', 'OrderClosed'] as const),
  ...(['VaultCreditAdded', 'VaultCreditClaimed'] as const),
]

const seen = new Set<ChainEventType>()

test('opening and movements add up to the closing, wherever a period begins', () => {
  fc.assert(
    fc.property(anyWorld(300), fc.double({ min: 0, max: 1, noNaN: true }), ({ a, b }, share) => {
      for (const { events, balances } of [a, b]) {
        const cut = Math.floor(events.length * share)
        const statements = statementsOf(events, cut)
        for (const statement of statements) {
          expect(computeClosing(statement)).toBe(sumOwed(statement.closing))
          for (const { kind } of statement.movements) seen.add(kind)
        }
        // The model's bridge moves tokens by transfers alone, and knows of no books.
        for (const { holder, token, closing } of statements)
          if (holder === 'bridge') expect(sumOwed(closing)).toBe(balances.get(token) ?? 0n)
      }
    }),
    { seed: 16, numRuns: 30 },
  )
  expect([...seen].sort()).toEqual([...MOVING].sort())
})

test('an event whose amount contradicts the state breaks the statement', () => {
  const { a } = fc.sample(anyWorld(300), { seed: 16, numRuns: 1 })[0]!
  const store = foldRows(a.events)
  const events = a.events.map((event) =>
    event.type === 'StakeAdded'
      ? { ...event, args: { ...event.args, amount: event.args.amount + 1n } }
      : event,
  )
  const statements = composeStatements(new Map(), events, store)
  const broken = statements.filter((one) => computeClosing(one) !== sumOwed(one.closing))
  expect(broken.length).toBeGreaterThan(0)
})

function statementsOf(events: readonly ChainEvent[], cut: number) {
  const store = new InMemoryRowStore()
  for (const event of events.slice(0, cut)) store.fold(event)
  const opening = copyOwed(store)
  for (const event of events.slice(cut)) store.fold(event)
  return composeStatements(opening, events.slice(cut), store)
}
