import type { BlockReader } from '../../services/chain/blockReader.ts'
import type { ChainsNow } from '../../services/store/chains/chainStateCache.ts'
import type { Db } from '../../services/store/database/openDatabase.ts'
import type { IntentCache } from '../../services/store/intents/intentCache.ts'
import type { AsOfReads } from '../http/asOfReads.ts'
import type { TokenPriceCache } from '../http/prices/tokenPriceCache.ts'
import type { TokenLookup } from '../http/tokens/tokenLookup.ts'
import type { EventHub } from '../rest/events/pushEventHub.ts'
import type { Loaders } from './loaders/createLoaders.ts'
import type { AsOfViews } from './resolveAsOfArgument.ts'
import type { LiveUpdates } from './subscriptions/liveUpdates.ts'

/** Data sources that all requests share. */
export type GraphqlReads = {
  db: Db
  intents: IntentCache
  tokens: TokenLookup
  prices: TokenPriceCache
  /** Resolves arguments `asOf`. */
  asOf: AsOfReads
  /** Asks a chain's nodes for the hash of a block: `_meta` shows that of the indexed head. */
  readBlock: BlockReader
}

/** What resolvers work with. */
export type GraphqlContext = GraphqlReads & {
  /**
   * The chains' state when the request arrived, by whose heads everything in its answer is judged. A subscription's
   * follows its chains: see `useFreshReads`.
   */
  chains: ChainsNow
  loaders: Loaders
  views: AsOfViews
  updates: LiveUpdates
  /** Reports new entries of the push journal. */
  journal: EventHub
  /** The client whose subscriptions are counted, such as an address. */
  client: string
  /** Null on the fast path, which serves no subscriptions. */
  request: Request | null
}
