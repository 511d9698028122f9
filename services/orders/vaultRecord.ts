import type { VaultOrder } from '../../sdk/orders/vaultCalls.ts'
import type { OrderFacts } from '../../src/order/orderFacts.ts'

/** What a vault has stored of an order, by name. */
const FIELDS = [
  'owner',
  'token',
  'destChainId',
  'tokenB',
  'expectedAmountB',
  'amountPerPeriod',
  'period',
  'firstAt',
  'endTime',
  'left',
  'fired',
  'lastFiredAt',
  'quorum',
  'closed',
] as const satisfies (keyof VaultOrder)[]

/**
 * Whether an order's stored record matches its events, terms included: with wrong ones, the order might never be due, or end too
 * early.
 */
export function matchesRecord(facts: OrderFacts, stored: VaultOrder): boolean {
  const { tokenA: token, tranchesFired: fired, remaining: left, lastFiredAt, closeReason } = facts
  const closed = closeReason !== null
  const expected = { ...facts, token, left, fired, lastFiredAt: lastFiredAt ?? 0, closed }
  return FIELDS.every((name) => toText(expected[name]) === toText(stored[name]))
}

/** A record in words, different for different records: nodes that differ about any field disagree. */
export function describeRecord(stored: VaultOrder): string {
  return FIELDS.map((name) => `${name} ${toText(stored[name])}`).join(', ')
}

function toText(value: unknown): string {
  return String(value).toLowerCase()
}
