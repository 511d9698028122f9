import { size } from 'viem'
import type { OrderState, Tranche } from '../../../core/order/orderState.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { gasOfCalls } from './gasMinimum.ts'

/** What an owner's orders have taken of the service's gas, and what of it their fees pay for. */
export type GasAccount = {
  /** Of the day's tranches and closes that brought no fee: they came back, or it isn't known yet. */
  tranches: number
  /** Of the day's fundings that the service sent, of orders of which nothing was delivered. */
  fundings: number
  /** Of closing those: the service pays that too. */
  closes: number
  /** What was ever delivered, less what came to nothing before the day. Never below 0. */
  record: number
}

/** From when gas counts, and whose gas it is. */
export type GasPeriod = {
  /** Unix seconds of the chain at which the day began. */
  since: number
  /** The service's own account, in lower case: what owners sent themselves cost it nothing. */
  account: string
}

export const NO_GAS: GasAccount = { tranches: 0, fundings: 0, closes: 0, record: 0 }

/** Gas of firing each of an order's tranches. */
export function gasOfTranches({ facts, encrypted }: OrderState): number {
  return gasOfCalls({ bytes: size(encrypted), quorum: facts.quorum }).fire
}

/**
 * The account of one owner's orders. Its record is spent once: gas that came to nothing before the day has
 * used it up, so that deliveries of long ago don't pay for something new every day.
 */
export function gasAccountOf(orders: Iterable<OrderState>, period: GasPeriod): GasAccount {
  const account = { ...NO_GAS }
  for (const order of orders) addOrder(account, order, period)
  return { ...account, record: Math.max(0, account.record) }
}

/** Gas of the day that no fee covers: what the service gives away, or lends until a tranche is delivered. */
export function uncoveredGas({ tranches, fundings, closes, record }: GasAccount): number {
  return Math.max(0, tranches + fundings + closes - record)
}

/** An account after more gas of a day. */
export function withGas(account: GasAccount, more: Partial<GasAccount>): GasAccount {
  const { tranches = 0, fundings = 0, closes = 0 } = more
  return {
    tranches: account.tranches + tranches,
    fundings: account.fundings + fundings,
    closes: account.closes + closes,
    record: account.record,
  }
}

/** What of an order changes only with its state. */
type OrderGas = {
  fund: number
  fire: number
  close: number
  delivered: number
  undelivered: readonly Tranche[]
}

const known = new WeakMap<OrderState, OrderGas>()

/** Of ten thousand orders few have changed since they were last asked about. */
function gasOf(order: OrderState): OrderGas {
  const before = known.get(order)
  if (before !== undefined) return before
  const { facts, encrypted, tranches } = order
  const calls = gasOfCalls({ bytes: size(encrypted), quorum: facts.quorum })
  const undelivered = tranches.filter(({ outcome }) => outcome !== 'settled')
  const gas = { ...calls, delivered: tranches.length - undelivered.length, undelivered }
  known.set(order, gas)
  return gas
}

function addOrder(to: GasAccount, order: OrderState, { since, account }: GasPeriod): void {
  const { facts, fundedBy, closedBy } = order
  const { fund, fire, close, delivered, undelivered } = gasOf(order)
  const isPaid = (sender: Hex | null) => sender?.toLowerCase() === account
  to.record += delivered * fire
  for (const { firedAt, firedBy } of undelivered) {
    if (!isPaid(firedBy)) continue
    if (firedAt >= since) to.tranches += fire
    else to.record -= fire
  }
  if (facts.tranchesCompleted > 0) return
  const { closedAt, fundedAt } = facts
  if (closedAt !== null && isPaid(closedBy)) {
    if (closedAt >= since) to.tranches += close
    else to.record -= close
  }
  if (!isPaid(fundedBy)) return
  if (fundedAt >= since) {
    to.fundings += fund
    if (closedAt === null) to.closes += close
  } else if (closedAt !== null) to.record -= fund
}

/** Each owner's account, and what all of them together haven't covered. */
export type GasOfAll = { accountOf: (owner: Hex) => GasAccount; uncovered: number }

/** The accounts of all owners of these orders. */
export function gasAccountsOf(orders: Iterable<OrderState>, period: GasPeriod): GasOfAll {
  const owners = new Map<Hex, GasAccount>()
  for (const order of orders) {
    const { owner } = order.facts
    const account = owners.get(owner) ?? { ...NO_GAS }
    addOrder(account, order, period)
    owners.set(owner, account)
  }
  let uncovered = 0
  for (const account of owners.values()) {
    account.record = Math.max(0, account.record)
    uncovered += uncoveredGas(account)
  }
  return { accountOf: (owner) => owners.get(owner) ?? NO_GAS, uncovered }
}

/** The accounts of all owners after more gas that some of them take. */
export function withMoreGas(
  { accountOf, uncovered }: GasOfAll,
  more: readonly { owner: Hex; gas: Partial<GasAccount> }[],
): GasOfAll {
  const changed = new Map<Hex, GasAccount>()
  for (const { owner, gas } of more) {
    changed.set(owner, withGas(changed.get(owner) ?? accountOf(owner), gas))
  }
  let total = uncovered
  for (const [owner, account] of changed) {
    total += uncoveredGas(account) - uncoveredGas(accountOf(owner))
  }
  return { accountOf: (owner) => changed.get(owner) ?? accountOf(owner), uncovered: total }
}
