import type { ChainConfig } from '../../services/config/chainConfig.ts'
import type { ResponseCache } from '../../services/store/cache/responseCache.ts'
import type { ChainStateCache, ChainsNow } from '../../services/store/chains/chainStateCache.ts'
import type { Db } from '../../services/store/database/openDatabase.ts'
import type { IntentCache } from '../../services/store/intents/intentCache.ts'
import type { StoredIntent } from '../../services/store/intents/storedIntent.ts'
import { UnavailableError } from '../http/apiError.ts'
import type { AsOfReads } from '../http/asOfReads.ts'
import type { Rendered } from '../http/conditionalResponse.ts'
import type { TokenPriceCache } from '../http/prices/tokenPriceCache.ts'
import type { TokenLookup } from '../http/tokens/tokenLookup.ts'
import type { BridgeOf } from './intents/renderIntent.ts'

/** Dependencies of the endpoints that read. */
export type ReadContext = {
  db: Db
  chains: ChainStateCache
  cache: IntentCache
  /** Cached pages of intents, valid until anything changes. */
  pages: ResponseCache<Rendered>
  asOf: AsOfReads
  tokens: TokenLookup
  /** Token prices, if the operator configured a source. */
  prices: TokenPriceCache
  /** The configured chains, whether indexed yet or not. */
  configured: readonly ChainConfig[]
}

/** What to do about a first index. */
const PROGRESS = ': try again soon; GET /health shows how far it is'

/** Seconds after which to retry during a chain's first backfill. */
const BACKFILL_RETRY = 5

/** The chains' current state. Throws INDEX_NOT_READY (503) until at least one chain is indexed. */
export async function chainsToRead({ chains }: ReadContext): Promise<ChainsNow> {
  const now = await chains.current()
  if (now.ready.length === 0) throw indexNotReady(`no chain is indexed yet${PROGRESS}`)
  return now
}

/** Throws INDEX_NOT_READY for a configured chain that isn't indexed yet: nothing is known about its intents. */
export function requireReady(reads: ReadContext, now: ChainsNow, chainId: number): void {
  if (now.heads.has(chainId)) return
  const chain = reads.configured.find((configured) => configured.chainId === chainId)
  if (chain) throw indexNotReady(`${chain.name} is not indexed yet${PROGRESS}`)
}

/** An answer's `notIndexedYet`: the configured chains whose intents it can't contain yet; absent if there are none. */
export function notIndexedYet(
  { configured }: ReadContext,
  now: ChainsNow,
): { notIndexedYet?: string[] } {
  const missing = configured.filter(({ chainId }) => !now.heads.has(chainId))
  return missing.length > 0 ? { notIndexedYet: missing.map(({ name }) => name) } : {}
}

/** The bridge that an intent was created on. */
export function bridgeOf(now: ChainsNow, { source }: StoredIntent): BridgeOf {
  const chain = now.ready.find(({ chainId }) => chainId === source.sourceChainId)
  // The chain became readable, or unreadable, between the two reads.
  if (!chain?.bridge) throw indexNotReady('the index is changing: try again')
  return chain.bridge
}

function indexNotReady(message: string): UnavailableError {
  return new UnavailableError(message, 'INDEX_NOT_READY', BACKFILL_RETRY)
}
