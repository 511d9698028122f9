import type { Hex } from '../../src/event/bridgeEvent.ts'

/** What a vault owes in one token, according to its events, and what it holds, in base units. */
export type TokenLedger = {
  token: Hex
  /** Unspent amounts of open orders. */
  left: bigint
  /** Payments that the token refused, claimable by their owners. */
  credits: bigint
  /** `balanceOf(vault)`. */
  balance: bigint
  /** Balance minus what is owed: positive after a donation, negative when something is wrong. */
  difference: bigint
}

/** What a vault owes by token. */
type Owed = ReadonlyMap<Hex, { left: bigint; credits: bigint }>

/** Unspent amounts and credits, by token. */
export function sumOwed(
  unspent: ReadonlyMap<Hex, bigint>,
  credits: ReadonlyMap<Hex, bigint>,
): Owed {
  const owed = new Map<Hex, { left: bigint; credits: bigint }>()
  const entryOf = (token: Hex) => {
    const entry = owed.get(token) ?? { left: 0n, credits: 0n }
    owed.set(token, entry)
    return entry
  }
  for (const [token, amount] of unspent) entryOf(token).left += amount
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
