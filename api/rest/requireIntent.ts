import type { ChainsNow } from '../../services/store/chains/chainStateCache.ts'
import { chooseIntent } from '../../services/store/intents/intentLookup.ts'
import type { StoredIntent } from '../../services/store/intents/storedIntent.ts'
import { NotFoundError } from '../http/apiError.ts'
import { type ReadContext, requireReady } from './readContext.ts'

/**
 * The intent with this id. Throws INTENT_NOT_FOUND, AMBIGUOUS_INTENT_ID, or INDEX_NOT_READY while the chain that
 * would have it is being indexed.
 */
export async function requireIntent(
  reads: ReadContext,
  now: ChainsNow,
  { intentId, sourceChainId }: { intentId: bigint; sourceChainId?: number | undefined },
): Promise<StoredIntent> {
  const found = chooseIntent(await reads.cache.candidates(intentId), sourceChainId)
  if (found) return found
  requireReady(reads, now, sourceChainId ?? Number(intentId >> 64n))
  // Such as 17, from a page's "Intent #17".
  const isOnlyItsEnd = intentId >> 64n === 0n
  throw new NotFoundError(
    isOnlyItsEnd
      ? 'no intent has this id: give the whole one, which includes its chain, such as 1559340170038815817203713'
      : 'no intent has this id: check it, or try again if it was just created',
    'INTENT_NOT_FOUND',
  )
}
