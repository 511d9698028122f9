import { IndexBehindError } from '../../../services/chain/unindexedIntentFinder.ts'
import {
  type IntentTerms,
  termsOfCreation,
  toIntentTerms,
} from '../../../services/relayer/terms/intentTerms.ts'
import {
  type BlobOnChain,
  blobOfEvent,
  loadIndexedBlobs,
} from '../../../services/relayer/terms/loadIndexedBlobs.ts'
import { chooseIntent } from '../../../services/store/intents/intentLookup.ts'
import type { IntentKey, StoredIntent } from '../../../services/store/intents/storedIntent.ts'
import { BadRequestError, UnavailableError } from '../../http/apiError.ts'
import { createChainNotFollowedError } from '../createChainNotFollowedError.ts'
import { bridgeOf, chainsToRead, requireReady } from '../readContext.ts'
import type { WriteContext } from '../writeContext.ts'

/** An intent for which a caller stores something. */
export type IntentToStore = {
  terms: IntentTerms
  /** Null if it isn't indexed yet. */
  stored: StoredIntent | null
  /** Its blobs on chain, in order. */
  blobs: readonly BlobOnChain[]
}

/**
 * The intent from the index or, since senders call right after their receipt, from the chain.
 *
 * @throws ApiError UNSUPPORTED_CHAIN, UNKNOWN_INTENT (both 400), INDEX_NOT_READY, RPC_UNREACHABLE
 */
export async function findIntentInIndexOrChain(
  context: WriteContext,
  key: IntentKey,
): Promise<IntentToStore> {
  const { reads, recent } = context
  const { sourceChainId, intentId } = key
  const chain = recent.get(sourceChainId)
  if (!chain) throw createChainNotFollowedError()
  if (intentId >> 64n !== BigInt(sourceChainId)) throw unknownIntent()
  const now = await chainsToRead(reads)
  requireReady(reads, now, sourceChainId)
  const stored = chooseIntent(await reads.cache.candidates(intentId), sourceChainId)
  if (stored) {
    const terms = toIntentTerms(stored.source, bridgeOf(now, stored).address)
    // The row counts the blobs, so most intents need no further query.
    const { blobCount, feeBps } = stored.source
    const hasBlobs = blobCount > 0 || feeBps !== null
    return { terms, stored, blobs: hasBlobs ? await loadIndexedBlobs(reads.db, terms) : [] }
  }
  const indexed = now.heads.get(sourceChainId)?.blockNumber ?? 0
  const creation = await chain.find(intentId, indexed).catch(asUnavailable)
  if (!creation) throw unknownIntent()
  return { terms: termsOfCreation(creation), stored: null, blobs: blobOfEvent(creation) }
}

function unknownIntent(): BadRequestError {
  return new BadRequestError(
    'the intent does not exist on this chain: check intentId and chainId',
    'UNKNOWN_INTENT',
  )
}

function asUnavailable(error: unknown): never {
  if (error instanceof IndexBehindError) {
    throw new UnavailableError(error.message, 'INDEX_NOT_READY', 5, error)
  }
  const words = 'the chain’s nodes can’t be reached: try again'
  throw new UnavailableError(words, 'RPC_UNREACHABLE', 2, error)
}
