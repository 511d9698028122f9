import type { OrderState, Tranche } from '../../../core/order/orderState.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { VaultSnapshot } from '../follow/followVault.ts'
import type { OrdersContext } from '../ordersContext.ts'
import { estimateOrderCallGas } from './estimateOrderCallGas.ts'

/** The gas that the service paid for an owner's orders, and how much of it their fees cover. */
export type GasAccount = {
  /** The day's tranches and closes without a fee: tranches that were refunded or are still open. */
  tranches: number
  /** The day's fundings that the service sent, for orders without a delivery. */
  fundings: number
  /** Closing those orders, which the service pays for too. */
  closes: number
  /** Gas of all deliveries, less uncovered gas from before the day. Never below 0. */
  record: number
}

/** From when gas counts, and which account paid it. */
type GasPeriod = {
  /** Start of the day in the chain's unix seconds. */
  since: number
  /** The service's account, in lower case: calls that owners send themselves cost it nothing. */
  account: string
}

export const NO_GAS: GasAccount = { tranches: 0, fundings: 0, closes: 0, record: 0 }

/** Gas of firing each of an order's tranches. */
export function gasOfTranches({ facts, size }: OrderState): number {
  return estimateOrderCallGas({ bytes: size, quorum: facts.quorum }).fire
}

/** The day's gas that no fee covers yet. */
export function uncoveredGas({ tranches, fundings, closes, record }: GasAccount): number {
  return Math.max(0, tranches + fundings + closes - record)
}

/** An account with more of the day's gas added. */
export function withGas(account: GasAccount, added: Partial<GasAccount>): GasAccount {
  const { tranches = 0, fundings = 0, closes = 0 } = added
  return {
    tranches: account.tranches + tranches,
    fundings: account.fundings + fundings,
    closes: account.closes + closes,
    record: account.record,
  }
}

/** The part of an order's account that changes only with its state. */
type OrderGas = {
  fund: number
  fire: number
  close: number
  delivered: number
  undelivered: readonly Tranche[]
}

const gasByOrder = new WeakMap<OrderState, OrderGas>()

/** Cached, since few of ten thousand orders change between two rounds. */
function gasOf(order: OrderState): OrderGas {
  const cached = gasByOrder.get(order)
  if (cached !== undefined) return cached
  const { facts, size, tranches } = order
  const calls = estimateOrderCallGas({ bytes: size, quorum: facts.quorum })
  const undelivered = tranches.filter(({ outcome }) => outcome !== 'settled')
  const gas = { ...calls, delivered: tranches.length - undelivered.length, undelivered }
  gasByOrder.set(order, gas)
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

/** What owners' orders from before a period add to their records. May be negative. */
type GasRecords = ReadonlyMap<Hex, number>

/** Each owner's account, and the uncovered gas of all owners together. */
export type GasOfAll = { accountOf: (owner: Hex) => GasAccount; uncovered: number }

/**
 * Builds the accounts of all owners of these orders. A record can be spent once: earlier failures use it up, or old
 * deliveries would pay for new calls every day.
 *
 * @param records what other orders add, all of them older than the period
 */
export function calculateGasAccounts(
  orders: Iterable<OrderState>,
  period: GasPeriod,
  records: GasRecords = new Map(),
): GasOfAll {
  const owners = new Map<Hex, GasAccount>()
  const recordOf = (owner: Hex) => ({ ...NO_GAS, record: records.get(owner) ?? 0 })
  for (const order of orders) {
    const { owner } = order.facts
    const account = owners.get(owner) ?? recordOf(owner)
    addOrder(account, order, period)
    owners.set(owner, account)
  }
  let uncovered = 0
  for (const account of owners.values()) {
    account.record = Math.max(0, account.record)
    uncovered += uncoveredGas(account)
  }
  const accountOf = (owner: Hex) => {
    const { record } = recordOf(owner)
    return owners.get(owner) ?? { ...NO_GAS, record: Math.max(0, record) }
  }
  return { accountOf, uncovered }
}

/** The accounts after adding gas to some owners. */
export function withAddedGas(
  { accountOf, uncovered }: GasOfAll,
  additions: readonly { owner: Hex; gas: Partial<GasAccount> }[],
): GasOfAll {
  const changed = new Map<Hex, GasAccount>()
  for (const { owner, gas } of additions) {
    changed.set(owner, withGas(changed.get(owner) ?? accountOf(owner), gas))
  }
  let total = uncovered
  for (const [owner, account] of changed) {
    total += uncoveredGas(account) - uncoveredGas(accountOf(owner))
  }
  return { accountOf: (owner) => changed.get(owner) ?? accountOf(owner), uncovered: total }
}

/** Seconds after which uncovered gas no longer counts. */
const DAY = 86_400

/** Seconds that a chain may be ahead of the clock: a node that lies about its time must not end the day early. */
const MAX_AHEAD = 3_600

type Payer = Pick<OrdersContext, 'account' | 'settings'>

const gasBySnapshot = new WeakMap<VaultSnapshot, GasOfAll>()

/** All owners' gas in one snapshot of the chain. */
export function calculateGasPaidPerOwner(payer: Payer, snapshot: VaultSnapshot): GasOfAll {
  const cached = gasBySnapshot.get(snapshot)
  if (cached !== undefined) return cached
  const period = gasPeriod(payer, snapshot)
  const { book } = snapshot
  const ended = book.ended()
  const gas =
    ended === null
      ? calculateGasAccounts(book.all(), period)
      : calculateWithEnded(book.open(), ended, period)
  gasBySnapshot.set(snapshot, gas)
  return gas
}

/** Seconds before a period in which orders aren't added up yet: nodes and clocks may move its start back by less. */
const NEAR_PERIOD = 7_200

type AddedUp = { account: string; count: number; records: Map<Hex, number> }

const addedUpOrders = new WeakMap<readonly OrderState[], AddedUp>()

/** Adds up the ended orders from before the period, each of them once. */
function addUpEnded(ended: readonly OrderState[], { since, account }: GasPeriod): AddedUp {
  const known = addedUpOrders.get(ended)
  const sums = known?.account === account ? known : { account, count: 0, records: new Map() }
  addedUpOrders.set(ended, sums)
  for (const order of ended.slice(sums.count)) {
    const { owner, updatedAt } = order.facts
    if (updatedAt >= since - NEAR_PERIOD) break
    const added = { ...NO_GAS, record: sums.records.get(owner) ?? 0 }
    addOrder(added, order, { since: Number.POSITIVE_INFINITY, account })
    gasByOrder.delete(order)
    sums.records.set(owner, added.record)
    sums.count += 1
  }
  return sums
}

/** Reuses the sums of orders that ended long ago: after years, almost all have. */
function calculateWithEnded(
  open: Iterable<OrderState>,
  ended: readonly OrderState[],
  period: GasPeriod,
): GasOfAll {
  const { records, count } = addUpEnded(ended, period)
  return calculateGasAccounts([...open, ...ended.slice(count)], period, records)
}

/** Which account's gas counts and from when, at the chain's head. */
function gasPeriod({ account, settings }: Payer, { head }: VaultSnapshot): GasPeriod {
  const now = Math.min(head.timestamp, settings.now() + MAX_AHEAD)
  return { since: now - DAY, account: account.toLowerCase() }
}
