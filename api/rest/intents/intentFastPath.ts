import type { ChainsNow } from '../../../services/store/chains/chainStateCache.ts'
import { chooseIntent } from '../../../services/store/intents/intentLookup.ts'
import type { StoredIntent } from '../../../services/store/intents/storedIntent.ts'
import { conditionalAnswer } from '../../http/conditionalResponse.ts'
import type { FastPathEndpoint } from '../../http/fastPath.ts'
import { bridgeOf, chainsToRead, type ReadContext } from '../readContext.ts'
import { requireIntent } from '../requireIntent.ts'
import { renderIntentCached } from './renderedIntentCache.ts'

/** A request for one intent by a decimal id of less than 256 bits, without a query. */
const PATH = /^(?:\/v1)?\/intent-details\/([1-9][0-9]{0,76})$/

/** `GET /intent-details/{intentId}` without a query; synchronous if the intent is cached. */
export function createIntentFastPath(reads: ReadContext): FastPathEndpoint {
  const answerFrom = (stored: StoredIntent, now: ChainsNow, ifNoneMatch: string | undefined) =>
    conditionalAnswer(renderIntentCached(stored, now.heads, bridgeOf(now, stored)), ifNoneMatch)
  const read = async (intentId: bigint, ifNoneMatch: string | undefined) => {
    const now = await chainsToRead(reads)
    return answerFrom(await requireIntent(reads, now, { intentId }), now, ifNoneMatch)
  }
  return {
    route: '/intent-details/{intentId}',
    handlerFor: ({ method, url = '', headers }) => {
      const id = method === 'GET' ? PATH.exec(url)?.[1] : undefined
      if (id === undefined) return null
      const ifNoneMatch = headers['if-none-match']
      return () => {
        const intentId = BigInt(id)
        const now = reads.chains.known()
        const kept = now && reads.cache.cached(intentId)
        const stored = kept && chooseIntent(kept)
        if (now && stored) return answerFrom(stored, now, ifNoneMatch)
        return read(intentId, ifNoneMatch)
      }
    },
  }
}
