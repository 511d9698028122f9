import type { BlockHashes } from '../../services/chain/blockHashes.ts'
import type { ChainsNow } from '../../services/store/chains/chainStateCache.ts'
import type { Db } from '../../services/store/database/database.ts'
import type { IntentCache } from '../../services/store/intents/intentCache.ts'
import type { AsOfReads } from '../http/asOfReads.ts'
import type { PriceBook } from '../http/prices/priceBook.ts'
import type { TokenBook } from '../http/tokens/tokenBook.ts'
import type { EventHub } from '../rest/events/eventHub.ts'
import type { AsOfViews } from './asOfView.ts'
import type { Loaders } from './loaders/createLoaders.ts'
import type { LiveUpdates } from './subscriptions/liveUpdates.ts'

/** What all requests are answered from. */
export type GraphqlReads = {
  db: Db
  intents: IntentCache
  tokens: TokenBook
  prices: PriceBook
  /** Where arguments `asOf` are looked up. */
  asOf: AsOfReads
  /** Where `_meta` asks for the hash of an indexed head. */
  blockHash: BlockHashes
}

/** What resolvers work with. */
export type GraphqlContext = GraphqlReads & {
  /** The chains' state when the request came: the clocks of everything in its answer. */
  chains: ChainsNow
  loaders: Loaders
  views: AsOfViews
  updates: LiveUpdates
  /** The journal of events, for those who follow it. */
  journal: EventHub
  /** The client that the subscription counts for. */
  client: string
  /** Null where it doesn't matter: a subscription always has it. */
  request: Request | null
}
