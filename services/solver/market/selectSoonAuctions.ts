import type { Snapshot } from '../plan/solverSnapshot.ts'

/** Seconds before an auction's end from which we read it from its chain: far more than we need for a bid. */
const SOON = 600

/**
 * Auctions that end soon, by their chain's latest known clock, or have ended. Reading all in each round would let anyone slow
 * us down for days with a few thousand long auctions, which cost little more than gas, until we bid too late.
 *
 * @param latest the snapshot of the previous round; null: nothing is known yet
 */
export function selectSoonAuctions<Auction extends { sourceChainId: number; endTime: number }>(
  auctions: readonly Auction[],
  latest: Pick<Snapshot, 'chains'> | null,
): Auction[] {
  return auctions.filter(({ sourceChainId, endTime }) => {
    // On a chain without traffic, the latest block may be older than the auction is long.
    const clock = latest?.chains.get(sourceChainId)?.clock
    return clock === undefined || endTime < clock + SOON
  })
}
