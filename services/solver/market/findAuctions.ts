import type { RelayerClient } from '../../../sdk/relayer/relayerClient.ts'
import type {
  IntentPage,
  RelayerBatch,
  RelayerIntent,
} from '../../../sdk/relayer/relayerResponses.ts'
import { type Pair, type Policy, tokenKey } from '../policy/policy.ts'

const PAGE_SIZE = 200
const MAX_PAGES = 10

/** Auctions of one read, and where the next read continues: undefined once the list has been read to its end. */
type ListPart = { auctions: RelayerIntent[]; cursor: string | undefined }

/**
 * Anchored auctions of the policy's pairs that take bids or may be picked up, as the relayer lists them. The list only
 * says where to look: the chains decide.
 *
 * @param since unix seconds; auctions that ended earlier are left out
 * @param cursor where the previous read stopped; undefined starts at the beginning
 * @throws RelayerError
 */
export async function findAuctions(
  relayer: Pick<RelayerClient, 'intents'>,
  policy: Policy,
  since: number,
  cursor: string | undefined,
): Promise<ListPart> {
  const auctions: RelayerIntent[] = []
  let next = cursor
  for (let page = 0; page < MAX_PAGES; page++) {
    const { intents, nextCursor } = await readPage(relayer, {
      status: 'pending',
      endsAfter: since,
      orderBy: 'endTime',
      direction: 'asc',
      cursor: next,
    })
    auctions.push(
      ...intents.filter((intent) => (intent.feeBps ?? 0) > 0 && isServed(intent, policy)),
    )
    next = nextCursor ?? undefined
    if (next === undefined) break
  }
  return { auctions, cursor: next }
}

/** Our unfinished wins as the relayer lists them: they restore a lost journal. */
export async function findOwnWins(
  relayer: Pick<RelayerClient, 'intents'>,
  solver: `0x${string}`,
): Promise<RelayerIntent[]> {
  const { intents } = await readPage(relayer, { status: 'solving,settled', solver })
  return intents
}

/** At most a page: each intent is read from its chain, so a relayer that lists thousands would delay our deposits by minutes. */
async function readPage(
  relayer: Pick<RelayerClient, 'intents'>,
  query: NonNullable<Parameters<RelayerClient['intents']>[0]>,
): Promise<Pick<IntentPage, 'intents' | 'nextCursor'>> {
  const { intents, nextCursor } = await relayer.intents({ ...query, limit: PAGE_SIZE })
  return { intents: intents.slice(0, PAGE_SIZE), nextCursor }
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
