import { sql } from 'kysely'
import type { IntentTerms } from '../../services/bundles/intentTerms.ts'
import { termsOf, termsOfCreation } from '../../services/bundles/termsOf.ts'
import { IndexBehindError } from '../../services/chain/recentCreations.ts'
import { chooseIntent } from '../../services/store/findIntent.ts'
import type { IntentKey, StoredIntent } from '../../services/store/storedIntent.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import { BadRequestError, UnavailableError } from '../http/apiError.ts'
import { bridgeOf, chainsToRead, requireReady } from './relayerReads.ts'
import type { WriteContext } from './writeContext.ts'

/** An intent that somebody wants to store something for. */
export type IntentToStore = {
  terms: IntentTerms
  /** As indexed; null while only the chain itself knows it. */
  stored: StoredIntent | null
  /** `encryptedBlob` of its creation; `0x` when it had none. */
  creationBlob: Hex
}

/**
 * The intent by the index, or, since senders call right after their receipt, by the chain itself.
 *
 * @throws ApiError UNSUPPORTED_CHAIN, UNKNOWN_INTENT (both 400), INDEX_NOT_READY, RPC_UNREACHABLE
 */
export async function intentToStore(context: WriteContext, key: IntentKey): Promise<IntentToStore> {
  const { reads, recent } = context
  const { sourceChainId, intentId } = key
  const chain = recent.get(sourceChainId)
  if (!chain) throw new BadRequestError('the chain is not followed here', 'UNSUPPORTED_CHAIN')
  if (intentId >> 64n !== BigInt(sourceChainId)) throw unknownIntent()
  const now = await chainsToRead(reads)
  requireReady(reads, now, sourceChainId)
  const stored = chooseIntent(await reads.cache.candidates(intentId), sourceChainId)
  if (stored) {
    const terms = termsOf(stored.source, bridgeOf(now, stored).address)
    return { terms, stored, creationBlob: await creationBlobOf(context, stored) }
  }
  const indexed = now.heads.get(sourceChainId)?.blockNumber ?? 0
  const creation = await chain.find(intentId, indexed).catch(asUnavailable)
  if (!creation) throw unknownIntent()
  const creationBlob = creation.args.encryptedBlob
  return { terms: termsOfCreation(creation), stored: null, creationBlob }
}

/** A creation's blob is counted in the row, so that most intents need no further statement. */
async function creationBlobOf(
  { reads }: WriteContext,
  { source: { blobCount, sourceChainId, intentId } }: StoredIntent,
): Promise<Hex> {
  if (blobCount === 0) return '0x'
  const { rows } = await sql<{ blob: Hex }>`
    select args ->> 'encryptedBlob' as blob from cairn.event
    where source_chain_id = ${sourceChainId}::bigint and intent_id = ${String(intentId)}::numeric
      and type = 'IntentCreated'`.execute(reads.db)
  return rows[0]?.blob ?? '0x'
}

function unknownIntent(): BadRequestError {
  return new BadRequestError('the intent does not exist on this chain', 'UNKNOWN_INTENT')
}

function asUnavailable(error: unknown): never {
  if (error instanceof IndexBehindError) {
    throw new UnavailableError(error.message, 'INDEX_NOT_READY', 5, error)
  }
  throw new UnavailableError('the chain can’t be asked', 'RPC_UNREACHABLE', 2, error)
}
