import type { ChainConfig } from '../../services/config/chains.ts'
import type { ResponseCache } from '../../services/store/cache/responseCache.ts'
import type { ChainStateCache, ChainsNow } from '../../services/store/chains/chainStateCache.ts'
import type { Db } from '../../services/store/database/database.ts'
import { chooseIntent } from '../../services/store/intents/findIntent.ts'
import type { IntentCache } from '../../services/store/intents/intentCache.ts'
import type { StoredIntent } from '../../services/store/intents/storedIntent.ts'
import { NotFoundError, UnavailableError } from '../http/apiError.ts'
import type { AsOfReads } from '../http/asOfReads.ts'
import type { Rendered } from '../http/conditionalResponse.ts'
import type { PriceBook } from '../http/prices/priceBook.ts'
import type { TokenBook } from '../http/tokens/tokenBook.ts'
import type { BridgeOf } from './intents/renderIntent.ts'

/** What the reads need. */
export type ReadContext = {
  db: Db
  chains: ChainStateCache
  cache: IntentCache
  /** Pages of intents, valid until anything changes. */
  pages: ResponseCache<Rendered>
  asOf: AsOfReads
  tokens: TokenBook
  /** Token prices, if the operator has a source. */
  prices: PriceBook
  /** The chains that this deployment follows, ready or not. */
  configured: readonly ChainConfig[]
}

/** Seconds after which to retry while a chain is being indexed for the first time. */
const BACKFILL_RETRY = 5

/** The chains' present state. 503 before any of them can be read. */
export async function chainsToRead({ chains }: ReadContext): Promise<ChainsNow> {
  const now = await chains.current()
  if (now.ready.length === 0) throw indexNotReady('no chain is indexed yet')
  return now
}

/** Refuses to answer for a chain that is configured and not indexed yet: unknown isn't absent. */
export function requireReady(reads: ReadContext, now: ChainsNow, chainId: number): void {
  if (now.heads.has(chainId)) return
  const chain = reads.configured.find((one) => one.chainId === chainId)
  if (chain) throw indexNotReady(`${chain.name} is not indexed yet`)
}

/** Names of configured chains whose intents can't be in an answer yet. */
export function chainsMissing({ configured }: ReadContext, now: ChainsNow): string[] {
  return configured.filter(({ chainId }) => !now.heads.has(chainId)).map(({ name }) => name)
}

/**
 * The intent with this id. Throws INTENT_NOT_FOUND, AMBIGUOUS_INTENT_ID, or INDEX_NOT_READY when the
 * chain that would know is still being indexed.
 */
export async function requireIntent(
  reads: ReadContext,
  now: ChainsNow,
  { intentId, sourceChainId }: { intentId: bigint; sourceChainId?: number | undefined },
): Promise<StoredIntent> {
  const found = chooseIntent(await reads.cache.candidates(intentId), sourceChainId)
  if (found) return found
  requireReady(reads, now, sourceChainId ?? Number(intentId >> 64n))
  throw new NotFoundError('no intent has this id', 'INTENT_NOT_FOUND')
}

/** The bridge that an intent was created on. */
export function bridgeOf(now: ChainsNow, { source }: StoredIntent): BridgeOf {
  const chain = now.ready.find(({ chainId }) => chainId === source.sourceChainId)
  // Read just before the chain became readable, or ceased to be.
  if (!chain?.bridge) throw indexNotReady('the index is changing')
  return chain.bridge
}

function indexNotReady(message: string): UnavailableError {
  return new UnavailableError(message, 'INDEX_NOT_READY', BACKFILL_RETRY)
}
