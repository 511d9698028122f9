import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { OrderFacts } from '../../src/order/orderFacts.ts'

/** What a vault owes in one token, by its events, and what it holds, in base units. */
export type TokenLedger = {
  token: Hex
  /** Left of open orders. */
  left: bigint
  /** Payments that the token refused, and that their owners can claim. */
  credits: bigint
  /** `balanceOf(vault)`. */
  balance: bigint
  /** Balance less what is owed: above zero somebody sent tokens, below zero something is wrong. */
  difference: bigint
}

/** What a vault owes by token. */
type Owed = ReadonlyMap<Hex, { left: bigint; credits: bigint }>

/** What is left of orders, and owed as credits, by token. */
export function sumOwed(orders: Iterable<OrderFacts>, credits: ReadonlyMap<Hex, bigint>): Owed {
  const owed = new Map<Hex, { left: bigint; credits: bigint }>()
  const entryOf = (token: Hex) => {
    const entry = owed.get(token) ?? { left: 0n, credits: 0n }
    owed.set(token, entry)
    return entry
  }
  for (const facts of orders) entryOf(facts.tokenA).left += facts.remaining
  for (const [token, amount] of credits) entryOf(token).credits += amount
  return owed
}

/** The ledger of each token that is owed or held. */
export function buildVaultLedger(owed: Owed, balances: ReadonlyMap<Hex, bigint>): TokenLedger[] {
  return [...new Set([...owed.keys(), ...balances.keys()])].map((token) => {
    const { left, credits } = owed.get(token) ?? { left: 0n, credits: 0n }
    const balance = balances.get(token) ?? 0n
    return { token, left, credits, balance, difference: balance - left - credits }
  })
}
