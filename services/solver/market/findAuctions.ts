import type { RelayerClient } from '../../../sdk/relayer/relayerClient.ts'
import type { RelayerBatch, RelayerIntent } from '../../../sdk/relayer/relayerResponses.ts'
import { type Pair, type Policy, tokenKey } from '../policy/policy.ts'

const PAGE_SIZE = 200
const MAX_PAGES = 10

/**
 * Anchored auctions of the policy's pairs that take bids or may be picked up, as the relayer lists them. The list only
 * says where to look: the chains decide. An auction beyond the last page appears in a later round.
 *
 * @param since unix seconds; auctions that ended earlier are left out
 * @throws RelayerError
 */
export async function findAuctions(
  relayer: RelayerClient,
  policy: Policy,
  since: number,
): Promise<RelayerIntent[]> {
  const auctions: RelayerIntent[] = []
  let cursor: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const { intents, nextCursor } = await relayer.intents({
      ...{
        status: 'pending',
        endsAfter: since,
        orderBy: 'endTime',
        direction: 'asc',
        limit: PAGE_SIZE,
      },
      cursor,
    })
    auctions.push(...intents)
    if (nextCursor === null) break
    cursor = nextCursor
  }
  return auctions
    .filter(({ feeBps }) => feeBps !== null && feeBps > 0)
    .filter((intent) => isServed(intent, policy))
}

/** Our unfinished wins as the relayer lists them: they restore a lost journal. */
export async function findOwnWins(
  relayer: RelayerClient,
  solver: `0x${string}`,
): Promise<RelayerIntent[]> {
  const { intents } = await relayer.intents({ status: 'solving,settled', solver, limit: PAGE_SIZE })
  return intents
}

/** Whether any batch of a served pair takes bids. */
export function hasCandidates(batches: readonly RelayerBatch[], policy: Policy): boolean {
  return batches.some((batch) => batch.biddable > 0 && isServed(batch, policy))
}

function isServed(pair: Pair, policy: Policy): boolean {
  const { sourceChainId, destChainId, tokenA, tokenB } = pair
  if (!policy.chains.has(sourceChainId) || !policy.chains.has(destChainId)) return false
  const known =
    policy.tokens.has(tokenKey(sourceChainId, tokenA)) &&
    policy.tokens.has(tokenKey(destChainId, tokenB))
  return known && policy.termsFor(pair) !== null
}
