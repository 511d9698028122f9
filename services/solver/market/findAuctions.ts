import type { RelayerClient } from '../../../sdk/relayer/relayerClient.ts'
import type { RelayerBatch, RelayerIntent } from '../../../sdk/relayer/relayerResponses.ts'
import { type Policy, tokenKey } from '../policy/policy.ts'

/** Intents on one page, and pages at most: what doesn't fit into a round comes in the next. */
const PAGE = 200
const MOST_PAGES = 10

/**
 * Auctions that take bids or may be picked up, of the pairs that the policy serves, according to
 * the relayer. They say where to look, and are compared with the chains.
 *
 * @param since unix seconds; auctions that ended earlier are left out
 * @throws RelayerError
 */
export async function findAuctions(
  relayer: RelayerClient,
  policy: Policy,
  since: number,
): Promise<RelayerIntent[]> {
  const found: RelayerIntent[] = []
  let cursor: string | undefined
  for (let page = 0; page < MOST_PAGES; page++) {
    const { intents, nextCursor } = await relayer.intents({
      ...{ status: 'pending', endsAfter: since, orderBy: 'endTime', direction: 'asc', limit: PAGE },
      cursor,
    })
    found.push(...intents)
    if (nextCursor === null) break
    cursor = nextCursor
  }
  return found
    .filter(({ feeBps }) => feeBps !== null && feeBps > 0)
    .filter((intent) => isServed(intent, policy))
}

/** Our unfinished wins according to the relayer, so that a lost journal loses nothing. */
export async function findOwnWins(
  relayer: RelayerClient,
  solver: `0x${string}`,
): Promise<RelayerIntent[]> {
  const { intents } = await relayer.intents({ status: 'solving,settled', solver, limit: PAGE })
  return intents
}

/** Whether any open batch takes bids and is of a pair that is served. */
export function hasChances(batches: readonly RelayerBatch[], policy: Policy): boolean {
  return batches.some((batch) => batch.biddable > 0 && isServed(batch, policy))
}

type PairOf = { sourceChainId: number; destChainId: number; tokenA: string; tokenB: string }

function isServed(pair: PairOf, policy: Policy): boolean {
  const { sourceChainId, destChainId, tokenA, tokenB } = pair
  if (!policy.chains.has(sourceChainId) || !policy.chains.has(destChainId)) return false
  const known =
    policy.tokens.has(tokenKey(sourceChainId, tokenA)) &&
    policy.tokens.has(tokenKey(destChainId, tokenB))
  return known && policy.termsFor(pair) !== null
}
