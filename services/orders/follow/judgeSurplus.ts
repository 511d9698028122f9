import type { TokenLedger } from '../../../core/order/buildVaultLedger.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'

/** What is known of fundings that weren’t read. The vault doesn’t count its orders: only its balances tell of them. */
export type SearchedFundings = {
  /** Up to this block every funding was read, or no node shows it. */
  searchedTo: number
  /** What the vault holds beyond what it owes, by token, that no order explains: anyone can send it tokens. */
  gifts: ReadonlyMap<Hex, bigint>
  /** A ledger in which it holds more than that; null if it doesn’t. */
  doubtful: { blockNumber: number; surplus: ReadonlyMap<Hex, bigint> } | null
}

type Ledger = { blockNumber: number; tokens: readonly TokenLedger[] }

/**
 * Whether a vault holds more than the orders that were read and gifts explain, and in which blocks the funding of another
 * order can be. It is looked for once its block is final: until then blocks are read again anyway.
 *
 * @param final the latest final block that was read
 */
export function judgeSurplus(
  known: SearchedFundings,
  { blockNumber, tokens }: Ledger,
  final: number,
): { known: SearchedFundings; range: { from: number; to: number } | null } {
  const surplus = new Map(
    tokens.flatMap(({ token, difference }) => (difference > 0n ? [[token, difference]] : [])),
  )
  const isExplained = [...surplus].every(
    ([token, amount]) => amount <= (known.gifts.get(token) ?? 0n),
  )
  if (isExplained) {
    const searchedTo = Math.max(known.searchedTo, Math.min(blockNumber, final))
    return { known: { searchedTo, gifts: surplus, doubtful: null }, range: null }
  }
  const doubtful = known.doubtful ?? { blockNumber, surplus }
  const isFinal = doubtful.blockNumber <= final
  const range = isFinal ? { from: known.searchedTo + 1, to: final } : null
  return { known: { ...known, doubtful }, range }
}

/** After a search up to this block has found no order: the surplus was a gift. */
export function acceptGifts(known: SearchedFundings, to: number): SearchedFundings {
  return { searchedTo: to, gifts: known.doubtful?.surplus ?? known.gifts, doubtful: null }
}
