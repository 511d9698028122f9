import type { Followed } from '../follow/followVault.ts'
import type { OrdersContext } from '../ordersContext.ts'
import { type GasOfAll, type GasPeriod, gasAccountsOf } from './gasAccount.ts'

/** Seconds after which uncovered gas no longer counts. */
const DAY = 86_400

/**
 * Seconds by which a chain's time may be ahead of the clock: a node that claims more could end the day at
 * will.
 */
const AHEAD = 3_600

type Payer = Pick<OrdersContext, 'account' | 'settings'>

const known = new WeakMap<Followed, GasOfAll>()

/** All owners' gas, as far as the chain has been read. */
export function gasUsedOnChain(payer: Payer, followed: Followed): GasOfAll {
  const before = known.get(followed)
  if (before !== undefined) return before
  const gas = gasAccountsOf(followed.book.all(), gasPeriod(payer, followed))
  known.set(followed, gas)
  return gas
}

/** Whose gas counts and since when, as of the chain's head. */
function gasPeriod({ account, settings }: Payer, { head }: Followed): GasPeriod {
  const now = Math.min(head.timestamp, settings.now() + AHEAD)
  return { since: now - DAY, account: account.toLowerCase() }
}
