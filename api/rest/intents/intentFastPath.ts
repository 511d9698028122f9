import type { ChainsNow } from '../../../services/store/chains/chainStateCache.ts'
import { chooseIntent } from '../../../services/store/intents/findIntent.ts'
import type { StoredIntent } from '../../../services/store/intents/storedIntent.ts'
import { conditionalAnswer } from '../../http/conditionalAnswer.ts'
import type { FastPathAnswer, FastPathEndpoint } from '../../http/fastPath.ts'
import { bridgeOf, chainsToRead, type RelayerReads, requireIntent } from '../relayerReads.ts'
import type { FinalizedIntentCache } from './finalizedIntentCache.ts'
import { renderedIntent } from './renderedIntentCache.ts'

/** The usual way to ask for one intent: a decimal id of less than 256 bits, and nothing else. */
const PATH = /^(?:\/v1)?\/intent-details\/([1-9][0-9]{0,76})$/

/** `GET /intent-details/{intentId}` without a query, from memory if it can be. */
export function intentFastPath(reads: RelayerReads, ready: FinalizedIntentCache): FastPathEndpoint {
  const answerFrom = (stored: StoredIntent, now: ChainsNow, ifNoneMatch: string | undefined) => {
    const bridge = bridgeOf(now, stored)
    const rendered = renderedIntent(stored, now.heads, bridge)
    // Only what the cache still holds: it has applied any change meanwhile.
    if (reads.cache.holds(stored)) ready.keep(stored, now, bridge, rendered)
    return conditionalAnswer(rendered, ifNoneMatch)
  }
  const answer = (
    id: string,
    ifNoneMatch: string | undefined,
  ): FastPathAnswer | Promise<FastPathAnswer> => {
    const now = reads.chains.known()
    const hot = now && ready.find(id, now)
    if (hot) return conditionalAnswer(hot, ifNoneMatch)
    const intentId = BigInt(id)
    const kept = now && reads.cache.kept(intentId)
    const stored = kept && chooseIntent(kept)
    if (now && stored) return answerFrom(stored, now, ifNoneMatch)
    return read(intentId, ifNoneMatch)
  }
  const read = async (
    intentId: bigint,
    ifNoneMatch: string | undefined,
  ): Promise<FastPathAnswer> => {
    const now = await chainsToRead(reads)
    return answerFrom(await requireIntent(reads, now, { intentId }), now, ifNoneMatch)
  }
  return {
    route: '/intent-details/{intentId}',
    open: ({ method, url = '', headers }) => {
      const id = method === 'GET' ? PATH.exec(url)?.[1] : undefined
      return id === undefined ? null : () => answer(id, headers['if-none-match'])
    },
  }
}
