import type { VaultSnapshot } from '../follow/followVault.ts'
import type { OrdersContext } from '../ordersContext.ts'
import { calculateGasAccounts, type GasOfAll, type GasPeriod } from './ownerGasAccounts.ts'

/** Seconds after which uncovered gas no longer counts. */
const DAY = 86_400

/** Seconds that a chain may be ahead of the clock: a node that lies about its time must not end the day early. */
const MAX_AHEAD = 3_600

type Payer = Pick<OrdersContext, 'account' | 'settings'>

const cache = new WeakMap<VaultSnapshot, GasOfAll>()

/** All owners' gas in one snapshot of the chain. */
export function calculateGasPaidPerOwner(payer: Payer, snapshot: VaultSnapshot): GasOfAll {
  const cached = cache.get(snapshot)
  if (cached !== undefined) return cached
  const gas = calculateGasAccounts(snapshot.book.all(), gasPeriod(payer, snapshot))
  cache.set(snapshot, gas)
  return gas
}

/** Which account's gas counts and from when, at the chain's head. */
function gasPeriod({ account, settings }: Payer, { head }: VaultSnapshot): GasPeriod {
  const now = Math.min(head.timestamp, settings.now() + MAX_AHEAD)
  return { since: now - DAY, account: account.toLowerCase() }
}
